/// Bytes of a length that the protocol fixes. Other lengths cannot be constructed, so encoding needs no check.
public protocol FixedBytes: Hashable, Codable, Sendable {
  static var size: Int { get }
  var bytes: Bytes { get }
  init(unchecked bytes: Bytes)
}

extension FixedBytes {
  /// Nil for another length.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.size else { return nil }
    self.init(unchecked: Bytes(bytes))
  }

  /// The value of fields whose cryptography is not implemented.
  public static var zeros: Self { Self(unchecked: Bytes(repeating: 0, count: Self.size)) }

  public init(from decoder: any Decoder) throws {
    let decoded = try Bytes(from: decoder)
    guard decoded.count == Self.size else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "there are \(decoded.count) bytes here: write exactly \(Self.size)"))
    }
    self.init(unchecked: decoded)
  }

  public func encode(to encoder: any Encoder) throws { try bytes.encode(to: encoder) }
}
