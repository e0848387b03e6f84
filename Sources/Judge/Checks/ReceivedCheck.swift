// Invariant 3, at the wallet: what it counts as received, a sender paid, and its journals tell of it.
extension Hearing {
  /// Also without a ledger: then only what the wallet says of itself.
  mutating func checkReceived(_ replay: PeerReplay?) {
    let told = announcedReceipts()
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received {
      counts[entry.epoch, default: 0] += 1
      let write = evidence.wallet.sum(of: entry.epoch).write(ofReceipt: counts[entry.epoch, default: 0])
      checkReceived(entry, writtenBy: write, replay, told)
    }
    checkReceivedCounts()
    var next: Int64 = 1
    for entry in evidence.wallet.received {
      if entry.id != next {
        find(4, "In front of received payment \(entry.id) a row is missing", [entry.evidence])
      }
      next = entry.id &+ 1
    }
  }

  private mutating func checkReceived(
    _ entry: ReceivedEntry, writtenBy write: ReceivingWrite?, _ replay: PeerReplay?,
    _ told: [ReceiptKey: [Int64]]
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
    // Another container may have taken it before it heard of that.
    if evidence.wallet.cancelledByHash.contains(entry.paymentHash), write?.isRestored != true {
      find(3, "The invoice of \(name) is cancelled", [entry.evidence, "node.sqlite cancelled_invoices"])
    }
    // What a backup tells of was written down in the container of before.
    if let shown = replay?.firstFulfilNs[entry.paymentHash], write?.isRestored != true,
      write?.atNs ?? .max > shown
    {
      find(3, "The preimage of \(name) left before it was written down", [entry.evidence])
    }
    checkAcceptance(of: entry, name, told)
  }

  private mutating func checkSender(of entry: ReceivedEntry, _ name: String) {
    let group = evidence.ledger.payments(entry.paymentHash)
    if group.whole.isEmpty {
      find(3, "The wallet counts \(name), and no sender paid it", [entry.evidence])
    } else if group.wholeMsat != entry.amountMsat {
      find(
        3, "The wallet counts \(name), and its sender \(amountWords(group.wholeMsat))",
        [entry.evidence] + group.whole.map(\.evidence))
    }
    if let open = group.firstHeld {
      find(3, "The wallet counts \(name) before it was offered", [entry.evidence, open.evidence])
    }
  }

  /// As many as the writes of each epoch say.
  private mutating func checkReceivedCounts() {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received { counts[entry.epoch, default: 0] += 1 }
    for (epoch, counted) in counts.sorted(by: { $0.key < $1.key }) {
      let claimed = evidence.wallet.sum(of: epoch).received
      guard claimed != counted else { continue }
      find(
        3,
        "Under epoch \(epoch) \(counted) payments are counted as received, and its writes say \(claimed)",
        ["node.sqlite received_payments"])
    }
  }

  // MARK: Journals

  /// A receipt as a write of one process's journal announces it.
  private struct ReceiptKey: Hashable {
    let journal: String
    let paymentHash: String
    let amountMsat: Int64
  }

  /// When, by the wall clock.
  private func announcedReceipts() -> [ReceiptKey: [Int64]] {
    var told: [ReceiptKey: [Int64]] = [:]
    for journal in evidence.journals {
      for record in journal.events(of: "node") {
        for receipt in record.directives.flatMap({ $0.payload("write")?["received"]?.items ?? [] }) {
          guard let hash = receipt["invoice"]?["paymentHash"]?.text,
            let amount = receipt["amountMsat"]?.integer
          else { continue }
          told[ReceiptKey(journal: journal.name, paymentHash: hash, amountMsat: amount), default: []].append(
            record.wallNs)
        }
      }
    }
    return told
  }

  /// It was written down under its epoch, in a step that its process's journal announces.
  private mutating func checkAcceptance(
    of entry: ReceivedEntry, _ name: String, _ told: [ReceiptKey: [Int64]]
  ) {
    guard let claim = evidence.wallet.claim(entry.epoch) else {
      find(
        3, "The \(name) was accepted under epoch \(entry.epoch), which no process claimed", [entry.evidence])
      return
    }
    // Without that journal, or with a line missing where it may say so, nobody knows.
    guard let journal = evidence.journal(of: claim), untold.sum(of: entry.epoch).received == 0 else { return }
    let key = ReceiptKey(
      journal: journal.name, paymentHash: hexadecimal(entry.paymentHash), amountMsat: entry.amountMsat)
    let isAnnounced = (told[key] ?? []).contains { isNear($0, entry.wallNs, withinNs: stepSlackNs) }
    if !isAnnounced {
      find(
        4, "The \(name) is not as the journal of its process tells of it",
        [entry.evidence, "journal \(journal.name)"])
    }
  }
}
