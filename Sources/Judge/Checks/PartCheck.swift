// Invariant 3, for payments that come in parts: a preimage leaves when all of them are there, and the parts that were
// paid are one payment in the wallet.

extension PeerReplay {
  /// What the wallet had committed of the same payment when it showed the preimage for one part.
  mutating func checkWhole(_ id: UInt64, _ life: HTLCLife, _ frame: ReadFrame) {
    guard let data = life.data else { return }
    var committed: UInt64 = 0
    for (other, part) in lives where part.paymentHash == life.paymentHash && part.data == data {
      guard other == id || part.committedFrame != nil && part.failureCode == nil else { continue }
      let (sum, overflowed) = committed.addingReportingOverflow(part.amountMsat)
      committed = overflowed ? .max : sum
    }
    if committed < data.totalMsat {
      find(
        3,
        "The wallet showed the preimage for HTLC \(id) when it had \(amountWords(committed)) of \(amountWords(data.totalMsat)) of its "
          + "payment", frame, ["ledger frames \(life.addFrame)"])
    }
  }
}

extension Evidence {
  /// Of one hash, what has not failed: the payment of a sender, in one part or in several.
  func whole(_ paymentHash: [UInt8]) -> [PaymentEntry] {
    ledger.payments.filter { $0.paymentHash == paymentHash && !$0.isFailed }
  }
}

extension [PaymentEntry] {
  var amountMsat: Int64 { reduce(0) { $0 &+ $1.amountMsat } }

  /// They say that they belong together, and none is one too many: without the smallest they are not whole yet.
  var arePartsOfOne: Bool {
    guard let data = first?.data else { return count == 1 }
    let smallest = map(\.amountMsat).min() ?? 0
    return allSatisfy { $0.data == data } && UInt64(bitPattern: amountMsat &- smallest) < data.totalMsat
  }
}
