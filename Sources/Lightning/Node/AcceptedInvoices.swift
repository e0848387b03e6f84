import Ground
import LightningChannel

// An invoice stays with the channel, in the container and in the backup, for as long as the payment that was accepted for it does:
// a preimage that the peer has not taken is derived again from the invoice.
extension NodeState {
  /// What a step does to the invoices. For whoever keeps the state in memory.
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

extension NodeBackup {
  /// Behind the open ones: of a list that is too long the newest are kept.
  init(channel: Channel, open: [Invoice], accepted: [Invoice]) {
    self.init(channel: channel, invoices: open + accepted.filter { channel.accepts($0.paymentHash) })
  }

  /// What the step that adopts it writes. A payment that stands in its channel as accepted was received, and counts once: not
  /// again where it is known. One that was accepted here, and never so that the peer heard of it, may stand there as open:
  /// it counts here already, and is not received a second time.
  func change(after known: [Invoice]) -> NodeChange {
    let isKnown = { (invoice: Invoice) in known.contains { $0.paymentHash == invoice.paymentHash } }
    let receipts = invoices.filter { !isKnown($0) }.compactMap { invoice in
      channel.acceptedMsat(invoice.paymentHash).map { Receipt(invoice: invoice, amountMsat: $0) }
    }
    let restored = invoices.filter { !isKnown($0) || channel.accepts($0.paymentHash) }
    return NodeChange(channel: channel, received: receipts, restored: restored)
  }
}

extension Channel {
  /// Whether the payment is accepted, and not yet out of both commitments.
  func accepts(_ paymentHash: Bytes32) -> Bool { acceptedMsat(paymentHash) != nil }

  /// What its parts come to.
  func acceptedMsat(_ paymentHash: Bytes32) -> UInt64? {
    let parts = htlcs.filter { htlc in
      guard case .fulfilled? = htlc.removal else { return false }
      return htlc.direction == .received && htlc.paymentHash == paymentHash
    }
    return parts.isEmpty ? nil : parts.reduce(0) { $0 + $1.amountMsat }
  }
}
