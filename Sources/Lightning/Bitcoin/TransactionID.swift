import Ground

/// The id of a Bitcoin transaction: its double hash without witnesses.
public struct TransactionID: Hashable, Sendable {
  /// In internal byte order, as on the wire.
  public let hash: Bytes32

  public init(hash: Bytes32) { self.hash = hash }

  /// From the displayed form, with reversed bytes. Nil unless there are 64 hexadecimal digits.
  public init?(text: String) {
    guard let reversed = Bytes32(hex: text), let hash = Bytes32(reversed.bytes.reversed()) else { return nil }
    self.hash = hash
  }

  public var text: String { Hexadecimal.encode(hash.bytes.reversed()) }
}

extension TransactionID: CustomStringConvertible {
  public var description: String { text }
}

extension TransactionID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = TransactionID(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this is not a transaction id: write 64 hexadecimal digits")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
