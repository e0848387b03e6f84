import Ground
import Crypto

/// One direction of an encrypted connection: its key, rotated after 1000 uses, and the number of the next use. A
/// message uses the key twice, for its length and its body.
struct TransportCipher: Hashable, Sendable {
  static let usesPerKey: UInt64 = 1000

  private var key: Bytes32
  private var chainingKey: Bytes32
  private(set) var uses: UInt64 = 0

  init(key: Bytes32, chainingKey: Bytes32) {
    self.key = key
    self.chainingKey = chainingKey
  }

  /// Four zero bytes and the number in little-endian order, as in Noise.
  static func nonce(_ number: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  mutating func seal(_ plaintext: [UInt8]) -> [UInt8] {
    defer { countUse() }
    return ChaCha20Poly1305.seal(plaintext, key: key, nonce: Self.nonce(uses)) ?? []
  }

  /// Nil unless the other end's cipher made these bytes with this use's number.
  mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
    defer { countUse() }
    return ChaCha20Poly1305.open(sealed, key: key, nonce: Self.nonce(uses))
  }

  private mutating func countUse() {
    uses += 1
    guard uses == Self.usesPerKey else { return }
    (chainingKey, key) = KeyDerivation.twoKeys(salt: chainingKey, from: key.bytes)
    uses = 0
  }
}
