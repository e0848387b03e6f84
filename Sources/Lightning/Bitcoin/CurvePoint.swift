import Crypto

/// A compressed point on the curve: a public key or per-commitment point.
public struct CurvePoint: FixedBytes {
  public static let size = 33
  public let bytes: Bytes
  public init(unchecked bytes: Bytes) { self.bytes = bytes }
  public init(_ key: PublicKey) { self.init(unchecked: Bytes(key.bytes)) }
}
