// Invariant 4: every invoice that was written is there.
extension Hearing {
  mutating func checkInvoices() {
    let counted = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.invoices ?? 0) }
    if !evidence.wallet.isRestored, counted != evidence.wallet.invoices.count {
      find(
        4, "\(counted) invoices were written and \(evidence.wallet.invoices.count) are there",
        ["node.sqlite invoices"])
    }
  }
}
