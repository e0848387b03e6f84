/// 32 bytes: a hash, a preimage, a channel id, a key. Stored as four words, so that a state with many of them is one
/// flat value without heap objects.
public struct Bytes32: Hashable, Sendable {
  private var words: (UInt64, UInt64, UInt64, UInt64)

  public static let size = 32
  public static let zero = Bytes32(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

  /// Nil unless there are exactly 32 bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Bytes32.size else { return nil }
    // Bound to its own type: a generic iterator costs a hundred calls for each of the many hashes of a start.
    let bytes = Array(bytes)
    func word(_ start: Int) -> UInt64 { bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
    words = (word(0), word(8), word(16), word(24))
  }

  /// Nil unless there are exactly 64 hexadecimal digits.
  public init?(hex: String) {
    guard let bytes = Hexadecimal.decode(hex) else { return nil }
    self.init(bytes)
  }

  public var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(Bytes32.size)
    for word in [words.0, words.1, words.2, words.3] {
      for shift in stride(from: 56, through: 0, by: -8) { result.append(UInt8(word >> UInt64(shift) & 0xff)) }
    }
    return result
  }

  public var hex: String { Hexadecimal.encode(bytes) }

  public static func == (left: Bytes32, right: Bytes32) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

extension Bytes32: Comparable {
  public static func < (left: Bytes32, right: Bytes32) -> Bool { left.words < right.words }
}

extension Bytes32: CustomStringConvertible {
  public var description: String { hex }
}

extension Bytes32: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Bytes32(hex: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "not 32 bytes in hexadecimal: write 64 digits")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(hex)
  }
}
