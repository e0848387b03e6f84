/// The onion packet of an HTLC (BOLT 4).
public struct OnionPacket: FixedBytes {
  public static let size = 1366
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }

  /// In a journal without the zeros at its end, which are most of our packets.
  public init(from decoder: any Decoder) throws {
    let written = try Bytes(from: decoder)
    let zeros = [UInt8](repeating: 0, count: max(0, Self.size - written.count))
    guard let packet = OnionPacket(written.array + zeros) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "an onion packet has at most \(Self.size) bytes"))
    }
    self = packet
  }

  public func encode(to encoder: any Encoder) throws {
    let end = bytes.array.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    try Bytes(Array(bytes.array[..<end])).encode(to: encoder)
  }
}
