/// Why the node refused a request; nothing of the request was stored or sent.
public enum NodeRefusal: Hashable, Codable, Sendable {
  /// This process does not own the node now.
  case notHeld
  /// One sentence for users.
  case because(String)
}
