/// Why an encrypted connection cannot go on. After any of these nothing may be sent any more: the two ends no longer
/// agree on their keys, or the other one is not who it has to be.
public enum TransportError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case unknownVersion(act: Int, version: UInt8)
  case badKey(act: Int)
  case badTag(act: Int)
  /// Of the third act: the encrypted key.
  case badCiphertext
  case badLength
  case badMessage

  public var description: String {
    switch self {
    case .unknownVersion(let act, let version):
      "act \(act) of the handshake has version \(version), and only 0 is known"
    case .badKey(let act): "act \(act) of the handshake has a key that is no point of the curve"
    case .badTag(let act) where act == 1:
      "act 1 of the handshake does not fit: the other end dialled another node's id, or does not speak BOLT 8"
    case .badTag(let act):
      "act \(act) of the handshake does not fit: the other end is not the node it should be"
    case .badCiphertext: "act 3 of the handshake has a key that cannot be decrypted"
    case .badLength:
      "the length of a message cannot be decrypted: it was changed, repeated or lost on its way"
    case .badMessage: "a message cannot be decrypted: it was changed on its way"
    }
  }
}
