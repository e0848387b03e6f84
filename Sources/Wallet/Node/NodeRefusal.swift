/// Why the node refused a request.
public enum NodeRefusal: Hashable, Codable, Sendable {
  /// This process does not own the node now; nothing was stored or sent.
  case notHeld
  /// One sentence for users; nothing of the request was stored or sent.
  case because(String)
  /// One sentence for users; the request may be stored.
  case unknown(String)
}
