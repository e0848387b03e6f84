// Crypto: hashes, authentication and encryption with libsodium, keys and signatures with libsecp256k1. Deterministic
// and without I/O: nonces and keys are arguments, so that a run can be replayed. The one exception is `randomBytes`.

import Ground
import CSodium

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
  public static func hash(_ bytes: [UInt8]) -> Bytes32 {
    var digest = [UInt8](repeating: 0, count: Bytes32.size)
    crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
    return Bytes32(digest) ?? .zero
  }

  /// Replaces 32 bytes by their hash; other lengths are unchanged. For long chains of hashes, where a new array for
  /// each would cost more than the hash.
  public static func rehash(_ bytes: inout [UInt8]) {
    guard bytes.count == Bytes32.size else { return }
    bytes.withUnsafeMutableBufferPointer { buffer in
      guard let address = buffer.baseAddress else { return }
      crypto_hash_sha256(address, address, UInt64(buffer.count))
    }
  }
}
