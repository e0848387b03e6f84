import Ground
import CSecp256k1

/// An ECDSA signature: r and s in 64 bytes, and which of up to four public keys is the signer's.
public struct RecoverableSignature: Hashable, Sendable {
  public static let compactSize = 64

  public let compact: [UInt8]
  public let recovery: UInt8

  /// nil unless there are 64 bytes, and the number is 0 to 3.
  public init?(_ compact: [UInt8], recovery: UInt8) {
    guard compact.count == Self.compactSize, recovery < 4 else { return nil }
    self.init(unchecked: compact, recovery: recovery)
  }

  init(unchecked compact: [UInt8], recovery: UInt8) {
    self.compact = compact
    self.recovery = recovery
  }

  /// The public key that signed this digest; nil if none can be recovered. High and low s are accepted.
  public func signer(of digest: Bytes32) -> PublicKey? {
    var signature = secp256k1_ecdsa_recoverable_signature()
    var key = secp256k1_pubkey()
    guard
      secp256k1_ecdsa_recoverable_signature_parse_compact(
        Curve.context, &signature, compact, Int32(recovery)) == 1,
      secp256k1_ecdsa_recover(Curve.context, &key, &signature, digest.bytes) == 1
    else { return nil }
    return PublicKey(key)
  }

  /// Whether this key signed the digest. Refuses a high s, which anyone can compute from the low one.
  public func isValid(for digest: Bytes32, by signer: PublicKey) -> Bool {
    var signature = secp256k1_ecdsa_signature()
    guard var key = signer.parsed,
      secp256k1_ecdsa_signature_parse_compact(Curve.context, &signature, compact) == 1
    else { return false }
    return secp256k1_ecdsa_verify(Curve.context, &signature, digest.bytes, &key) == 1
  }
}
