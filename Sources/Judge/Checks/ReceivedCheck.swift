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
      find(
        3, "The invoice of \(name) asks for \(amountWords(invoice.amountMsat))",
        [entry.evidence, invoice.evidence])
    } else if invoice == nil {
      find(3, "There is no invoice for \(name)", [entry.evidence])
    }
    // Another container may have received it before the cancellation.
    if evidence.wallet.cancelledByHash.contains(entry.paymentHash), write?.isRestored != true {
      find(3, "The invoice of \(name) is cancelled", [entry.evidence, "node.sqlite cancelled_invoices"])
    }
    // A restored receipt was durable in the previous container.
    if let shown = replay?.firstFulfilNs[entry.paymentHash], write?.isRestored != true,
      write?.atNs ?? .max > shown
    {
      find(3, "The preimage of \(name) was sent before the receipt was durable", [entry.evidence])
    }
    if evidence.wallet.claim(entry.epoch) == nil {
      find(
        3, "The \(name) was accepted under epoch \(entry.epoch), which no process claimed", [entry.evidence])
    }
  }

  private mutating func checkSender(of entry: ReceivedEntry, _ name: String) {
    let group = evidence.ledger.payments(entry.paymentHash)
    if group.whole.isEmpty {
      find(3, "The wallet lists \(name), but no sender paid it", [entry.evidence])
    } else if group.wholeMsat != entry.amountMsat {
      find(
        3, "The wallet lists \(name), but its sender paid \(amountWords(group.wholeMsat))",
        [entry.evidence] + group.whole.map(\.evidence))
    }
    if let open = group.firstHeld {
      find(3, "The wallet lists \(name), but the peer still holds it", [entry.evidence, open.evidence])
    }
  }

  /// The number of receipts equals the sum in the writes, for each epoch.
  private mutating func checkReceivedCounts() {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received { counts[entry.epoch, default: 0] += 1 }
    for (epoch, counted) in counts.sorted(by: { $0.key < $1.key }) {
      let claimed = evidence.wallet.sum(of: epoch).received
      guard claimed != counted else { continue }
      find(
        3,
        "Epoch \(epoch) has \(counted) rows of received payments, but the writes under it count \(claimed)",
        ["node.sqlite received_payments"])
    }
  }
}
