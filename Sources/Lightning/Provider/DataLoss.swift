/// Whose state is old.
public enum DataLoss: String, Hashable, Codable, Sendable, CaseIterable {
  case wallet = "wallet"
  case peer = "peer"
}
