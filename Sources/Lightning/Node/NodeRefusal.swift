/// Why nothing came of what the node was asked for; nothing of it is anywhere.
public enum NodeRefusal: Hashable, Codable, Sendable {
  /// This process does not own the node now.
  case notHeld
  /// One sentence for people.
  case because(String)
}
