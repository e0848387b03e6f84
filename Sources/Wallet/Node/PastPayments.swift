import Ground
import Lightning

/// Why an invoice is not paid again.
public enum PastPayment: String, Hashable, Codable, Sendable {
  case paid = "paid"
  /// Its end was lost with a database: it may be paid.
  case lost = "lost"
}

/// Payments that are over and must not be made again, for a container that is a value; a real one has them in
/// tables. The node keeps none of them.
public struct PastPayments: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var paymentHash: Bytes32
    var end: PastPayment
  }

  /// In the order of their ends.
  private var entries: [Entry] = []

  public init() {}

  public subscript(hash: Bytes32) -> PastPayment? { entries.first { $0.paymentHash == hash }?.end }

  /// Applies one step of the node.
  public mutating func apply(_ change: PaymentChange) { note(change.ended) }

  /// Applies a channel from a backup, also to the pending payments.
  public mutating func follow(_ channel: Channel, _ payments: inout OutgoingPayments) {
    let restored = payments.restored(by: channel) { self[$0] != nil }
    entries += restored.lost.map { Entry(paymentHash: $0, end: .lost) }
    note(
      restored.known.compactMap { known in
        known.end.map { PaymentChange.Ended(payment: known.payment, end: $0) }
      })
    payments.pending = restored.onTheirWay
  }

  private mutating func note(_ ended: [PaymentChange.Ended]) {
    for one in ended {
      if case .paid = one.end { entries.append(Entry(paymentHash: one.payment.paymentHash, end: .paid)) }
    }
  }
}
