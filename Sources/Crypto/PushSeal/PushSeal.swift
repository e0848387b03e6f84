// Crypto/PushSeal: the sealed payload of a push, in the form of Blocktank's servers and Bitkit's wallet: ECDH on secp256k1
// with a key of the sender's for each payload, AES-256-GCM under a hash of the shared point. Deterministic: keys and
// initialisation vectors are arguments. It reads no JSON and has no keychain.

import CNettle
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

/// Why a sealed payload cannot be opened.
public enum SealError: Error, Hashable, Sendable, CustomStringConvertible {
  case cipherIsNoBase64
  case ivIsNoHexadecimal
  case ivTooShort(Int)
  case tagIsNoHexadecimal
  case tagOfWrongLength(Int)
  case noPointOnTheCurve
  /// Changed on the way, or sealed to another key.
  case wrongTag

  public var description: String {
    switch self {
    case .cipherIsNoBase64: "the cipher is no base64; the sender must encode it with padding"
    case .ivIsNoHexadecimal: "the iv is not hexadecimal; the sender must write two digits for each byte"
    case .ivTooShort(let count):
      "the iv has \(count) bytes; the sender must use \(PushSeal.shortestIV) or more"
    case .tagIsNoHexadecimal: "the tag is not hexadecimal; the sender must write two digits for each byte"
    case .tagOfWrongLength(let count):
      "the tag has \(count) bytes; the sender must send all \(AES256GCM.tagSize)"
    case .noPointOnTheCurve: "the public key is no compressed point of secp256k1; the sender must send one"
    case .wrongTag: "the payload was changed, or was sealed to another key; register this wallet's key again"
    }
  }
}

/// A sealed text with all that its reader needs besides the private key.
public struct SealedPayload: Hashable, Sendable {
  /// The sender's key for this one payload.
  public let publicKey: PublicKey
  public let iv: [UInt8]
  public let cipher: [UInt8]
  public let tag: [UInt8]

  init(publicKey: PublicKey, iv: [UInt8], cipher: [UInt8], tag: [UInt8]) {
    self.publicKey = publicKey
    self.iv = iv
    self.cipher = cipher
    self.tag = tag
  }

  /// From the members of a push: `cipher` in base64, the others in hexadecimal.
  public init(cipher: String, iv: String, publicKey: String, tag: String) throws(SealError) {
    guard let cipherBytes = Base64.decode(cipher) else { throw .cipherIsNoBase64 }
    guard let ivBytes = Hexadecimal.decode(iv) else { throw .ivIsNoHexadecimal }
    guard ivBytes.count >= PushSeal.shortestIV else { throw .ivTooShort(ivBytes.count) }
    guard let tagBytes = Hexadecimal.decode(tag) else { throw .tagIsNoHexadecimal }
    guard tagBytes.count == AES256GCM.tagSize else { throw .tagOfWrongLength(tagBytes.count) }
    guard let key = PublicKey(hex: publicKey) else { throw .noPointOnTheCurve }
    self.init(publicKey: key, iv: ivBytes, cipher: cipherBytes, tag: tagBytes)
  }

  public var cipherText: String { Base64.encode(cipher) }
  public var ivText: String { Hexadecimal.encode(iv) }
  public var tagText: String { Hexadecimal.encode(tag) }
}

/// AES-256 in Galois/Counter mode (NIST SP 800-38D), with an initialisation vector of any length. The caller must not
/// use a vector twice with one key.
enum AES256GCM {
  static let tagSize = 16

  static func seal(_ plain: [UInt8], key: [UInt8], iv: [UInt8]) -> (cipher: [UInt8], tag: [UInt8])? {
    run(key: key, iv: iv, plain.count) { context, output in
      nettle_gcm_aes256_encrypt(context, plain.count, output, plain)
    }
  }

  /// nil if the tag does not match: nothing of the text is given away then.
  static func open(_ cipher: [UInt8], key: [UInt8], iv: [UInt8], tag: [UInt8]) -> [UInt8]? {
    let opened = run(key: key, iv: iv, cipher.count) { context, output in
      nettle_gcm_aes256_decrypt(context, cipher.count, output, cipher)
    }
    guard let (text, own) = opened else { return nil }
    var plain = text
    guard tag.count == tagSize, ConstantTime.areEqual(own, tag) else {
      plain.wipe()
      return nil
    }
    return plain
  }

  /// On the heap: its tables have four kilobytes.
  private static func run(
    key: [UInt8], iv: [UInt8], _ size: Int,
    _ transform: (UnsafeMutablePointer<gcm_aes256_ctx>, UnsafeMutablePointer<UInt8>?) -> Void
  ) -> ([UInt8], [UInt8])? {
    guard key.count == Bytes32.size else { return nil }
    let context = UnsafeMutablePointer<gcm_aes256_ctx>.allocate(capacity: 1)
    defer {
      wipe(UnsafeMutableRawBufferPointer(start: context, count: MemoryLayout<gcm_aes256_ctx>.size))
      context.deallocate()
    }
    nettle_gcm_aes256_set_key(context, key)
    nettle_gcm_aes256_set_iv(context, iv.count, iv)
    var output = [UInt8](repeating: 0, count: size)
    output.withUnsafeMutableBufferPointer { transform(context, $0.baseAddress) }
    var tag = [UInt8](repeating: 0, count: tagSize)
    nettle_gcm_aes256_digest(context, tag.count, &tag)
    return (output, tag)
  }
}
