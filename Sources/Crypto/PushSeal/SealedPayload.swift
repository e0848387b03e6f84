import Ground

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
