import CSecp256k1
import Ground

/// A private key of secp256k1, with its public key. Its description is the public key alone and it is not `Codable`,
/// so that it cannot end up in a journal.
public struct PrivateKey: Sendable {
  private let secret: LockedSecret
  public let publicKey: PublicKey

  /// nil for 0 and for numbers outside the curve's order: about one random number in 2¹²⁸.
  public init?(_ secret: Bytes32) {
    var bytes = secret.bytes
    self.init(LockedSecret(taking: &bytes))
  }

  public init?(_ secret: LockedSecret) {
    guard secret.count == Bytes32.size else { return nil }
    var key = secp256k1_pubkey()
    let isKey = secret.withBytes { secp256k1_ec_pubkey_create(Curve.context, &key, $0) == 1 }
    guard isKey, let publicKey = PublicKey(key) else { return nil }
    self.secret = secret
    self.publicKey = publicKey
  }

  /// The hash of the compressed product: BOLT 8's ECDH.
  public func sharedSecret(with other: PublicKey) -> Bytes32 {
    guard var point = other.parsed else { return .zero }
    var result = [UInt8](repeating: 0, count: Bytes32.size)
    let isDone = secret.withBytes { secp256k1_ecdh(Curve.context, &result, &point, $0, nil, nil) == 1 }
    return isDone ? Bytes32(result) ?? .zero : .zero
  }

  /// The compressed product itself, for protocols that derive a key from it in their own way; all zeros for a key that
  /// is no point, which `PublicKey` excludes.
  public func sharedPoint(with other: PublicKey) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: PublicKey.size)
    guard var point = other.parsed else { return result }
    let compressed: secp256k1_ecdh_hash_function = { output, x, y, _ in
      guard let output, let x, let y else { return 0 }
      output[0] = 2 | (y[Bytes32.size - 1] & 1)
      (output + 1).update(from: x, count: Bytes32.size)
      return 1
    }
    _ = secret.withBytes { secp256k1_ecdh(Curve.context, &result, &point, $0, compressed, nil) }
    return result
  }

  /// Deterministic (RFC 6979), with a low s.
  public func sign(_ digest: Bytes32) -> RecoverableSignature {
    var signature = secp256k1_ecdsa_recoverable_signature()
    var bytes = [UInt8](repeating: 0, count: RecoverableSignature.compactSize)
    var identifier: Int32 = 0
    // Neither call fails with a valid key.
    _ = secret.withBytes {
      secp256k1_ecdsa_sign_recoverable(Curve.context, &signature, digest.bytes, $0, nil, nil)
    }
    _ = secp256k1_ecdsa_recoverable_signature_serialize_compact(
      Curve.context, &bytes, &identifier, &signature)
    return RecoverableSignature(unchecked: bytes, recovery: UInt8(truncatingIfNeeded: identifier))
  }
}

extension PrivateKey: CustomStringConvertible {
  public var description: String { "the key of \(publicKey)" }
}

extension PrivateKey: CustomReflectable {
  public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
}

/// The library's context: created and blinded once, then only read, which the library allows from any number of
/// threads.
enum Curve {
  nonisolated(unsafe) static let context: OpaquePointer = {
    // Fails only without memory, when nothing else would work either.
    guard let context = secp256k1_context_create(UInt32(SECP256K1_CONTEXT_NONE)) else {
      fatalError("libsecp256k1 has no memory for its context")
    }
    // Protects against timing and power analysis; results do not depend on it.
    _ = secp256k1_context_randomize(context, randomBytes(Bytes32.size))
    return context
  }()
}

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
      secp256k1_ecdsa_recoverable_signature_parse_compact(Curve.context, &signature, compact, Int32(recovery))
        == 1, secp256k1_ecdsa_recover(Curve.context, &key, &signature, digest.bytes) == 1
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
