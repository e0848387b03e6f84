/// Phoenix's names, which wallets know.
public enum PushReason: String, Hashable, Codable, Sendable, CaseIterable {
  case incomingPayment = "IncomingPayment"
  case pendingSettlement = "PendingSettlement"
}
