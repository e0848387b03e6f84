import Ground

/// The members of a sealed payload as they stand in a push, not decoded.
public struct SealedMembers: Hashable, Sendable {
  /// In base64.
  public let cipher: String
  /// These in hexadecimal.
  public let iv: String
  public let publicKey: String
  public let tag: String

  public init(cipher: String, iv: String, publicKey: String, tag: String) {
    self.cipher = cipher
    self.iv = iv
    self.publicKey = publicKey
    self.tag = tag
  }

  init?(_ value: JSONValue?) {
    guard let cipher = value?["cipher"]?.text, let iv = value?["iv"]?.text,
      let publicKey = value?["publicKey"]?.text, let tag = value?["tag"]?.text
    else { return nil }
    self.init(cipher: cipher, iv: iv, publicKey: publicKey, tag: tag)
  }
}
