import Ground

/// A text signed with a node's key, as Lightning nodes sign messages: LSPS0's `ln_signature`.
public enum SignedMessage {
  private static let prefix = Array("Lightning Signed Message:".utf8)
  /// Before the recovery number, for a compressed key.
  private static let header: UInt8 = 31

  /// 104 letters of zbase32.
  public static func sign(_ text: String, with key: PrivateKey) -> String {
    let signature = key.sign(digest(text))
    return Zbase32.encode([header + signature.recovery] + signature.compact)
  }

  /// The node that signed the text; nil for a signature of another form.
  public static func signer(of text: String, _ signature: String) -> PublicKey? {
    guard let bytes = Zbase32.decode(signature), let first = bytes.first, first >= header,
      let parsed = RecoverableSignature(Array(bytes.dropFirst()), recovery: first - header)
    else { return nil }
    return parsed.signer(of: digest(text))
  }

  private static func digest(_ text: String) -> Bytes32 {
    SHA256.hash(SHA256.hash(prefix + Array(text.utf8)).bytes)
  }
}
