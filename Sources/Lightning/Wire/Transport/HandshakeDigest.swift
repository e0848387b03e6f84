import Ground
import Crypto

/// What both ends of a handshake have in common at each moment, if they are who they should be: the hash of all that
/// was said, and the key of all that was agreed upon.
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

  mutating func mix(_ said: [UInt8]) { hash = SHA256.hash(hash.bytes + said) }

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

  /// The dialler sends with the first.
  func finalKeys() -> (first: Bytes32, second: Bytes32) { KeyDerivation.twoKeys(salt: chainingKey, from: []) }
}
