// PushSeal: the sealed payload of a push, in the form of Blocktank's servers and Bitkit's wallet: ECDH on secp256k1
// with a key of the sender's for each payload, AES-256-GCM under a hash of the shared point. Deterministic: keys and
// initialisation vectors are arguments. It reads no JSON and has no keychain.

import Ground

public enum PushSeal {
  /// As CryptoKit, which the real wallet uses: any length from 12 bytes up. Servers use 16.
  public static let shortestIV = 12
  private static let label = Array("bitkit-notifications".utf8)

  /// The sender must not use one ephemeral key and vector for two texts. nil for a vector that is too short.
  public static func seal(
    _ plain: [UInt8], to receiver: PublicKey, ephemeral: PrivateKey, iv: [UInt8]
  ) -> SealedPayload? {
    guard iv.count >= shortestIV else { return nil }
    var key = key(ephemeral, receiver)
    defer { key.wipe() }
    guard let (cipher, tag) = AES256GCM.seal(plain, key: key, iv: iv) else { return nil }
    return SealedPayload(publicKey: ephemeral.publicKey, iv: iv, cipher: cipher, tag: tag)
  }

  public static func open(_ sealed: SealedPayload, with receiver: PrivateKey) throws(SealError) -> [UInt8] {
    var key = key(receiver, sealed.publicKey)
    defer { key.wipe() }
    guard let plain = AES256GCM.open(sealed.cipher, key: key, iv: sealed.iv, tag: sealed.tag) else {
      throw .wrongTag
    }
    return plain
  }

  /// SHA-256 twice over the shared point and a label.
  private static func key(_ own: PrivateKey, _ other: PublicKey) -> [UInt8] {
    var shared = own.sharedPoint(with: other) + label
    defer { shared.wipe() }
    return SHA256.hash(SHA256.hash(shared).bytes).bytes
  }
}
