import Bitcoin

/// The onion packet of an HTLC (BOLT 4).
public struct OnionPacket: FixedBytes {
  public static let size = 1366
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
}
