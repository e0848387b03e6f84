// Types with a connection's keys hide them from descriptions and dumps: a log or crash report must not make traffic
// readable.

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
