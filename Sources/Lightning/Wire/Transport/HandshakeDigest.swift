import Ground
import Crypto

/// The state that both ends of a handshake share: the hash of all messages, and the key derived from all shared
/// secrets.
struct HandshakeDigest: Sendable {
  private(set) var hash: Bytes32
  private(set) var chainingKey: Bytes32
  private var key = Bytes32.zero

  init(responder: PublicKey) {
    hash = SHA256.hash(Array("Noise_XK_secp256k1_ChaChaPoly_SHA256".utf8))
    chainingKey = hash
    mix(Array("lightning".utf8))
    mix(responder.bytes)
  }

  mutating func mix(_ bytes: [UInt8]) { hash = SHA256.hash(hash.bytes + bytes) }

  mutating func mix(secret: Bytes32) {
    (chainingKey, key) = KeyDerivation.twoKeys(salt: chainingKey, from: secret.bytes)
  }

  mutating func seal(_ plaintext: [UInt8], use: UInt64 = 0) -> [UInt8] {
    let sealed =
      ChaCha20Poly1305.seal(
        plaintext, key: key, nonce: TransportCipher.nonce(use), authenticating: hash.bytes) ?? []
    mix(sealed)
    return sealed
  }

  mutating func open(_ sealed: [UInt8], use: UInt64 = 0) -> [UInt8]? {
    let plaintext = ChaCha20Poly1305.open(
      sealed, key: key, nonce: TransportCipher.nonce(use), authenticating: hash.bytes)
    mix(sealed)
    return plaintext
  }

  /// The initiator sends with the first.
  func finalKeys() -> (first: Bytes32, second: Bytes32) { KeyDerivation.twoKeys(salt: chainingKey, from: []) }
}
