/// The first two are Phoenix's names, which wallets know, the others the types of Bitkit's pushes.
public enum PushReason: String, Hashable, Codable, Sendable, CaseIterable {
  case incomingPayment = "IncomingPayment"
  case pendingSettlement = "PendingSettlement"
  case paidOrder = "orderPaymentConfirmed"
  case mutualClose = "mutualClose"
}
