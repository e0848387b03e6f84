/// The side whose channel state is outdated.
public enum DataLoss: String, Hashable, Codable, Sendable, CaseIterable {
  case wallet = "wallet"
  case peer = "peer"
}
