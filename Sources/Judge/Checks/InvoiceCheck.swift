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
