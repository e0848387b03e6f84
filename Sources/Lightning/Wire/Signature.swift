/// A 64-byte signature on the wire.
public struct Signature: FixedBytes {
  public static let size = 64
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
}
