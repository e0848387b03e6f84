// Invariant 3: what a sender has told its user is what became of its attempts.
extension Checker {
  mutating func checkSenders(_ replay: PeerReplay) {
    guard let wallet = replay.wallet else { return }
    // The peer has written an outcome before it answers: what was told before the ledger was read is in it.
    let rows = (evidence.sendersByPayee[wallet] ?? []).filter { row in
      evidence.certainUntilNs.map { row.atNs < $0 } ?? true
    }
    guard !rows.isEmpty else { return }
    let ids = Set(rows.flatMap(\.attempts))
    var byAttempt: [[UInt8]: PaymentEntry] = [:]
    for payment in evidence.ledger.payments {
      if let id = payment.attemptID, ids.contains(id) { byAttempt[id] = payment }
    }
    for row in rows {
      let payments = row.attempts.compactMap { byAttempt[$0] }
      guard let fault = row.fault(in: payments, hasOneClock: evidence.ledger.hasOneClock) else { continue }
      find(
        3,
        "A sender was told that its payment of \(shortHex(row.paymentHash)) \(row.told.words), \(fault.words)",
        [row.evidence] + (fault.payment.map { [$0.evidence] } ?? []))
    }
  }
}

extension SenderEntry {
  struct Fault {
    let words: String
    let payment: PaymentEntry?
  }

  /// What the ledger says instead. `payments`: those that the peer has of this sender's.
  func fault(in payments: [PaymentEntry], hasOneClock: Bool) -> Fault? {
    let own = payments.filter { $0.paymentHash == paymentHash }
    switch told {
    case .settled:
      if own.contains(where: \.isPaid) { return nil }
      return Fault(words: "and the peer has paid for none of its attempts", payment: own.last)
    case .failed, .notSent:
      if let paid = own.first(where: \.isPaid) {
        return Fault(words: "and payment \(paid.id), an attempt of it, is paid", payment: paid)
      }
      // Of a payment in parts the others come back after the first that has failed.
      guard !isInParts, hasOneClock,
        let open = own.first(where: { $0.settledNs.map { $0 > atNs } ?? true })
      else { return nil }
      return Fault(words: "while payment \(open.id), an attempt of it, was under way", payment: open)
    // The payment may end either way.
    case .pending, .held, .offered: return nil
    }
  }
}

extension SenderEntry.Told {
  fileprivate var words: String {
    switch self {
    case .settled: "is settled"
    case .failed: "has failed"
    case .notSent: "was not sent"
    case .pending, .held, .offered: "is \(rawValue)"
    }
  }
}
