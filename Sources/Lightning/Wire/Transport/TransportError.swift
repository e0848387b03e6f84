/// Why an encrypted connection must end. Nothing may be sent after any of these: the two ends' keys differ, or the
/// other end is not the expected node.
public enum TransportError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case unknownVersion(act: Int, version: UInt8)
  case badKey(act: Int)
  case badTag(act: Int)
  /// The encrypted key of act three.
  case badCiphertext
  case badLength
  case badMessage

  public var description: String {
    switch self {
    case .unknownVersion(let act, let version):
      "act \(act) of the handshake has version \(version), and only 0 is supported"
    case .badKey(let act): "act \(act) of the handshake has a key that is not a point on the curve"
    case .badTag(let act) where act == 1:
      "act 1 of the handshake is not authentic: the other end dialled another node's id, or does not use BOLT 8"
    case .badTag(let act):
      "act \(act) of the handshake is not authentic: the other end is not the expected node"
    case .badCiphertext: "act 3 of the handshake has a key that cannot be decrypted"
    case .badLength:
      "the length of a message cannot be decrypted: bytes were changed, repeated or lost"
    case .badMessage: "a message cannot be decrypted: bytes were changed"
    }
  }
}
