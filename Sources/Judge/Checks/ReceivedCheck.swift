// Invariant 3, at the wallet: every received payment was paid by a sender.
extension Checker {
  /// Without a ledger only the wallet's own rows are compared.
  mutating func checkReceived(_ replay: PeerReplay?) {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received {
      counts[entry.epoch, default: 0] += 1
      let write = evidence.wallet.sum(of: entry.epoch).write(ofReceipt: counts[entry.epoch, default: 0])
      checkReceived(entry, writtenBy: write, replay)
    }
    checkReceivedCounts()
    checkNumbers("received_payments", evidence.wallet.received.map(\.id))
  }

  private mutating func checkReceived(
    _ entry: ReceivedEntry, writtenBy write: ReceivingWrite?, _ replay: PeerReplay?
  ) {
    let name =
      "received payment \(entry.id) (\(amountWords(entry.amountMsat)), \(shortHex(entry.paymentHash)))"
    if evidence.hasLedger { checkSender(of: entry, name) }
    let invoice = evidence.wallet.invoicesByHash.first(entry.paymentHash)
    if let invoice, invoice.amountMsat > entry.amountMsat {
      find(.invoiceAsksMore, name, amountWords(invoice.amountMsat), at: [entry.row, invoice.row])
    } else if invoice == nil {
      find(.invoiceMissing, name, at: [entry.row])
    }
    // Another container may have received it before the cancellation.
    if evidence.wallet.cancelledByHash.contains(entry.paymentHash), write?.isRestored != true {
      find(.receivedCancelled, name, at: [entry.row, .wallet("cancelled_invoices")])
    }
    // A restored receipt was durable in the previous container.
    if let shown = replay?.firstFulfilNs[entry.paymentHash], write?.isRestored != true,
      write?.atNs ?? .max > shown
    {
      find(.preimageBeforeReceipt, name, at: [entry.row])
    }
    if evidence.wallet.claim(entry.epoch) == nil {
      find(.receivedUnclaimed, name, entry.epoch, at: [entry.row])
    }
  }

  private mutating func checkSender(of entry: ReceivedEntry, _ name: String) {
    let group = evidence.ledger.payments(entry.paymentHash)
    if group.whole.isEmpty {
      find(.receivedUnpaid, name, at: [entry.row])
    } else if group.wholeMsat != entry.amountMsat {
      find(.receivedDiffers, name, amountWords(group.wholeMsat), at: [entry.row] + group.whole.map(\.row))
    }
    if let open = group.firstHeld {
      find(.receivedHeld, name, at: [entry.row, open.row])
    }
  }

  /// The number of receipts equals the sum in the writes, for each epoch.
  private mutating func checkReceivedCounts() {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received { counts[entry.epoch, default: 0] += 1 }
    for (epoch, counted) in counts.sorted(by: { $0.key < $1.key }) {
      let claimed = evidence.wallet.sum(of: epoch).received
      guard claimed != counted else { continue }
      find(.receivedCount, epoch, counted, claimed, at: [.wallet("received_payments")])
    }
  }
}

// Invariant 4: every written invoice is in the database.
extension Checker {
  mutating func checkInvoices() {
    let counted = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.invoices ?? 0) }
    let cancelled = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.cancelled ?? 0) }
    // A cancellation may be written again after a failed write, so more writes than rows are legal.
    if evidence.wallet.cancelled.count > cancelled {
      find(.cancelledCount, cancelled, evidence.wallet.cancelled.count, at: [.wallet("cancelled_invoices")])
    }
    if !evidence.wallet.isRestored, counted != evidence.wallet.invoices.count {
      find(.invoiceCount, counted, evidence.wallet.invoices.count, at: [.wallet("invoices")])
    }
  }
}
