// What holds keys of a connection describes itself without them, also to whoever dumps all that he finds: a message in a
// log or a crash report must not let anybody read what was said.

extension TransportCipher: CustomStringConvertible, CustomReflectable {
  var description: String { "a cipher before its use \(uses)" }
  var customMirror: Mirror { Mirror(self, children: ["uses": uses]) }
}

extension HandshakeDigest: CustomStringConvertible, CustomReflectable {
  var description: String { "a handshake's digest" }
  var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecureChannel: CustomStringConvertible, CustomReflectable {
  public var description: String { isEstablished ? "an encrypted connection" : "a handshake" }
  public var customMirror: Mirror { Mirror(self, children: ["isEstablished": isEstablished]) }
}
