import Ground
import Lightning

// The container and the backup keep the invoice of an accepted payment as long as its HTLCs are in the channel:
// until the peer has committed to the fulfillment, the preimage may have to be derived again from the invoice.
extension NodeState {
  /// Applies a step to the invoices of a state that is kept in memory.
  public mutating func followInvoices(_ change: NodeChange) {
    if let restored = change.restored {
      let known = invoices.map(\.paymentHash)
      invoices += restored.filter { !known.contains($0.paymentHash) }
    }
    if let invoice = change.newInvoice { invoices.append(invoice) }
    if let cancelled = change.cancelled { invoices.removeAll { $0.paymentHash == cancelled } }
    accepted += change.received.map(\.invoice)
    invoices.removeAll { invoice in accepted.contains { $0.paymentHash == invoice.paymentHash } }
    if let channel = change.channel { accepted.removeAll { !channel.accepts($0.paymentHash) } }
  }
}

extension NodeOutgoing {
  static func backup(of channel: Channel, open: [Invoice], accepted: [Invoice]) -> NodeOutgoing {
    .backup(Blob(NodeBackup(channel: channel, open: open, accepted: accepted).encoded()))
  }
}

extension NodeBackup {
  /// Accepted invoices follow the open ones: `encoded()` keeps only the end of a list that is too long.
  init(channel: Channel, open: [Invoice], accepted: [Invoice]) {
    self.init(channel: channel, invoices: open + accepted.filter { channel.accepts($0.paymentHash) })
  }

  /// The change that adopts this backup. A payment that its channel has as accepted is a receipt, unless the invoice
  /// is in `known`. A payment that was accepted here before the peer received a message of it may be open in the
  /// backup: it is in `known`, and not received a second time.
  func change(after known: [Invoice], history: UInt64) -> NodeChange {
    let isKnown = { (invoice: Invoice) in known.contains { $0.paymentHash == invoice.paymentHash } }
    let receipts = invoices.filter { !isKnown($0) }.compactMap { invoice in
      channel.acceptedMsat(invoice.paymentHash).map { Receipt(invoice: invoice, amountMsat: $0) }
    }
    var adopted = channel
    adopted.beginHistory(history)
    let restored = invoices.filter { !isKnown($0) || channel.accepts($0.paymentHash) }
    return NodeChange(channel: adopted, received: receipts, restored: restored)
  }
}

extension Channel {
  /// Whether the payment is fulfilled and its HTLCs are still in a commitment.
  func accepts(_ paymentHash: Bytes32) -> Bool { acceptedMsat(paymentHash) != nil }

  /// The sum of the payment's fulfilled parts; nil without any.
  func acceptedMsat(_ paymentHash: Bytes32) -> UInt64? {
    let parts = htlcs.filter { htlc in
      guard case .fulfilled? = htlc.removal else { return false }
      return htlc.direction == .received && htlc.paymentHash == paymentHash
    }
    return parts.isEmpty ? nil : parts.reduce(0) { $0 + $1.amountMsat }
  }
}
