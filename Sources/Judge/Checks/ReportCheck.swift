import Ground

// Invariants 3 and 4: what was reported to a process as durable, or to the user, is in the wallet's database.
extension Checker {
  mutating func checkReports() {
    let ends = Set(evidence.wallet.sent.map(\.end))
    let splices = Set(evidence.wallet.splices.map { "\(transactionWords($0.txid)) \($0.state)" })
    for journal in evidence.journals {
      for record in journal.events(of: "guard") where evidence.isCertain(record) {
        guard let epoch = record.event.payload("claimed")?["epoch"]?.integer,
          evidence.wallet.claim(epoch) == nil
        else { continue }
        find(.claimGone, epoch, at: [record.row])
      }
      for record in journal.events(of: "node") where evidence.isCertain(record) {
        for directive in record.directives {
          checkInvoice(directive, record)
          checkCancelled(directive, record)
          // A restored database lacks what the lost one had.
          if evidence.wallet.isRestored { continue }
          checkPayment(directive, ends, record)
          checkSplice(directive, splices, record)
        }
      }
    }
  }

  private mutating func checkInvoice(_ directive: JSONValue, _ record: JournalRecord) {
    guard let hash = directive["invoiceStored"]?["paymentHash"]?.text,
      Hexadecimal.decode(hash).map(evidence.wallet.invoicesByHash.contains) != true
    else { return }
    find(.invoiceGone, hash.prefix(12), at: [record.row])
  }

  private mutating func checkCancelled(_ directive: JSONValue, _ record: JournalRecord) {
    guard let hash = directive["invoiceCancelled"]?["paymentHash"]?.text,
      Hexadecimal.decode(hash).map(evidence.wallet.cancelledByHash.contains) != true
    else { return }
    find(.cancellationGone, hash.prefix(12), at: [record.row])
  }

  private mutating func checkPayment(
    _ directive: JSONValue, _ ends: Set<SentEntry.End>, _ record: JournalRecord
  ) {
    if let hash = directive["paymentOffered"]?["paymentHash"]?.text,
      Hexadecimal.decode(hash).map(evidence.wallet.sentByHash.contains) != true
    {
      find(.offerGone, hash.prefix(12), at: [record.row])
    }
    guard let report = directive.payload("paymentEnded") else { return }
    let reported = SentEntry.End(
      paymentHash: report["payment"]?["paymentHash"]?.text, htlc: report["payment"]?["htlc"]?.integer,
      preimage: report["end"]?["paid"]?["preimage"]?.text,
      failureCode: report["end"]?["failed"]?["code"]?.integer)
    guard !ends.contains(reported) else { return }
    find(
      .paymentEndDiffers, (reported.paymentHash ?? "?").prefix(12),
      reported.preimage == nil ? "failed" : "paid", at: [record.row])
  }

  private mutating func checkSplice(_ directive: JSONValue, _ rows: Set<String>, _ record: JournalRecord) {
    guard let report = directive["spliceEnded"], let id = report["_0"]?.text, let end = report["_1"]?.text,
      !rows.contains("\(id) \(end)")
    else { return }
    find(.spliceEndDiffers, id.prefix(12), end, at: [record.row])
  }
}

extension SentEntry {
  /// How a payment ended, by a journal.
  fileprivate struct End: Hashable {
    let paymentHash: String?
    let htlc: Int64?
    /// Nil: it failed.
    let preimage: String?
    let failureCode: Int64?
  }

  fileprivate var end: End {
    End(
      paymentHash: Hexadecimal.encode(paymentHash), htlc: htlc,
      preimage: preimage.map { Hexadecimal.encode($0) },
      failureCode: failureCode)
  }
}
