import Bitcoin

/// The onion of one payment part, as BOLT 4 has it.
public struct OnionPacket: FixedBytes {
  public static let size = 1366
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
}
