// Invariant 4: every written invoice is in the database.
extension Checker {
  mutating func checkInvoices() {
    let counted = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.invoices ?? 0) }
    let cancelled = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.cancelled ?? 0) }
    // A cancellation may be written again after a failed write, so more writes than rows are legal.
    if evidence.wallet.cancelled.count > cancelled {
      find(
        4,
        "node_writes counts \(cancelled) cancelled invoices, but the table cancelled_invoices has \(evidence.wallet.cancelled.count)",
        ["node.sqlite cancelled_invoices"])
    }
    if !evidence.wallet.isRestored, counted != evidence.wallet.invoices.count {
      find(
        4,
        "node_writes counts \(counted) new invoices, and the table invoices has \(evidence.wallet.invoices.count)",
        ["node.sqlite invoices"])
    }
  }
}
