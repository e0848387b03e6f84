/// Whose state is old.
public enum DataLoss: String, Hashable, Codable, Sendable, CaseIterable {
  case wallet
  case peer
}
