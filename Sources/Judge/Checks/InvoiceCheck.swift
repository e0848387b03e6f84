// Invariants 3 and 4: every invoice is one that the wallet made, and every one it said it stored is there.
extension Hearing {
  mutating func checkInvoices() {
    var made: [JSONValue] = []
    for journal in evidence.journals {
      for record in journal.events(of: "node") {
        if let invoice = record.event.payload("invoiceMade") { made.append(invoice) }
        made += record.event.payload("backupReceived")?.payload("backup")?["invoices"]?.items ?? []
        guard evidence.isCertain(record) else { continue }
        for directive in record.directives {
          checkStored(directive["invoiceStored"]?["paymentHash"]?.text, record)
        }
      }
    }
    let unknown = evidence.wallet.invoices.filter { entry in !made.contains { isSame(entry, $0) } }
    if unknown.count > madeInCleanedJournals {
      for entry in unknown {
        find(
          4, "The invoice \(shortHex(entry.paymentHash)) is not one that the wallet made", [entry.evidence])
      }
    }
    let counted = evidence.wallet.writes.reduce(0) { $0 + (WriteSummary($1.what)?.invoices ?? 0) }
    let isRestored = evidence.wallet.writes.contains { WriteSummary($0.what)?.isRestored ?? false }
    if !isRestored, counted != evidence.wallet.invoices.count {
      find(
        4, "\(counted) invoices were written and \(evidence.wallet.invoices.count) are there",
        ["node.sqlite invoices"])
    }
  }

  /// As many as were written under epochs whose journals are gone. A backup brings any number.
  private var madeInCleanedJournals: Int {
    let gone = evidence.wallet.writes.filter { cleaned.epochs.contains($0.epoch) }.compactMap {
      WriteSummary($0.what)
    }
    return gone.contains(where: \.isRestored) ? .max : gone.reduce(0) { $0 + $1.invoices }
  }

  private mutating func checkStored(_ hash: String?, _ record: JournalRecord) {
    guard let hash, !evidence.wallet.invoices.contains(where: { hexadecimal($0.paymentHash) == hash }) else {
      return
    }
    find(4, "The invoice \(hash.prefix(12))… was stored and is gone", [record.evidence])
  }

  private func isSame(_ entry: InvoiceEntry, _ made: JSONValue) -> Bool {
    made["paymentHash"]?.text == hexadecimal(entry.paymentHash)
      && made["amountMsat"]?.integer == entry.amountMsat
      && made["text"]?.text == entry.text && made["tweak"]?.text == hexadecimal(entry.tweak)
      && made["expiresAt"]?.integer == entry.expiresAt
  }
}
