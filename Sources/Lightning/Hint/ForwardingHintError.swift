/// Why a document is no forwarding hint.
public enum ForwardingHintError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
  case noJSON
  case noObject
  case missing(String)
  /// The member is no text, or a word that is not known here.
  case unknownWord(String)
  /// Not a whole number of milliseconds from 0 to 2^64-1.
  case badDelay

  public var description: String {
    switch self {
    case .noJSON: "the forwarding hint is not valid JSON"
    case .noObject: "the forwarding hint is not a JSON object"
    case .missing(let name): "the forwarding hint has no member `\(name)`"
    case .unknownWord(let name): "the forwarding hint has an unknown `\(name)`"
    case .badDelay: "the forwarding hint's `recommended_delay_ms` is not a whole number of milliseconds"
    }
  }
}
