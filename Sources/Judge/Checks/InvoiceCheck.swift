// Invariants 3 and 4: every invoice is one that the wallet made, and every one it said it stored is there.
extension Hearing {
  mutating func checkInvoices() {
    for journal in evidence.journals {
      for record in journal.events(of: "node") where evidence.isCertain(record) {
        for directive in record.directives {
          checkStored(directive["invoiceStored"]?["paymentHash"]?.text, record)
          checkCancelled(directive["invoiceCancelled"]?["paymentHash"]?.text, record)
        }
      }
    }
    let unknown = evidence.wallet.invoices.filter { !evidence.invoicesMade.contains(InvoiceFact($0)) }
    // There may be as many as were written where no line tells of it. A backup brings any number.
    if unknown.count > untold.invoices {
      for entry in unknown {
        find(
          4, "The invoice \(shortHex(entry.paymentHash)) is not one that the wallet made", [entry.evidence])
      }
    }
    let counted = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.invoices ?? 0) }
    let cancelled = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.cancelled ?? 0) }
    // One whose write failed may be written once more.
    if evidence.wallet.cancelled.count > cancelled {
      find(
        4, "\(evidence.wallet.cancelled.count) invoices are cancelled, and \(cancelled) writes say so",
        ["node.sqlite cancelled_invoices"])
    }
    if !evidence.wallet.isRestored, counted != evidence.wallet.invoices.count {
      find(
        4, "\(counted) invoices were written and \(evidence.wallet.invoices.count) are there",
        ["node.sqlite invoices"])
    }
  }

  private mutating func checkStored(_ hash: String?, _ record: JournalRecord) {
    guard let hash, bytes(ofHexadecimal: hash).map(evidence.wallet.invoicesByHash.contains) != true else {
      return
    }
    find(4, "The invoice \(hash.prefix(12))… was stored and is gone", [record.evidence])
  }

  private mutating func checkCancelled(_ hash: String?, _ record: JournalRecord) {
    guard let hash, bytes(ofHexadecimal: hash).map(evidence.wallet.cancelledByHash.contains) != true else {
      return
    }
    find(4, "The invoice \(hash.prefix(12))… was cancelled and is open", [record.evidence])
  }
}
