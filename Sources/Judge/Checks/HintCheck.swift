// Invariant 3: what the peer answers a sender about another attempt is what its ledger says of that moment.
extension Checker {
  /// More are not pending at once.
  private static let pendingMost = 1000
  private static let soonMs: Int64 = 1000
  private static let laterMs: Int64 = 5000

  mutating func checkHints(_ replay: PeerReplay) {
    let ledger = evidence.ledger
    guard !evidence.access.isEmpty, ledger.hasOneClock, let wallet = replay.wallet else { return }
    let knownNs = ledger.connections.filter { $0.isAccepted && $0.node == wallet }.compactMap(\.judgedNs)
      .min()
    var pending = PendingPayments(ledger.payments)
    for row in evidence.access.sorted(by: { $0.atNs < $1.atNs }) where evidence.isCertain(row.atNs) {
      pending.advance(to: row.atNs)
      guard let question = checkForm(row), isOf(wallet, question.recipient) else { continue }
      let noRoute = Due(hint: .init("do_not_retry", "unknown"))
      var due: [Due] = []
      if question.recipient != wallet {
        due = [noRoute]
      } else if let known = hint(question.amountMsat, at: row.atNs, pending, replay.moments[row.atNs]) {
        // A peer may be told the wallet's node id before the wallet comes.
        due = knownNs ?? .max <= row.atNs ? [known] : [known, noRoute]
      }
      guard let first = due.first, !due.contains(where: { $0.fits(question.hint) }) else { continue }
      find(
        3,
        "The peer answered \(question.hint.words) to a question about \(amountWords(question.amountMsat)), where its ledger says \(first.hint.words)",
        [row.evidence])
    }
  }

  /// The first wallet also has the questions about nodes that are no wallets.
  private func isOf(_ wallet: [UInt8], _ recipient: [UInt8]) -> Bool {
    let ledger = evidence.ledger
    return recipient == wallet || ledger.wallet == 1 && !ledger.wallets.contains { $0.node == recipient }
  }

  /// The question and the hint that answers it; nil for another request.
  private mutating func checkForm(
    _ row: AccessEntry
  ) -> (recipient: [UInt8], amountMsat: UInt64, hint: AccessEntry.Hint)? {
    guard row.status == 200 else {
      if evidence.ledger.wallet == 1, row.hint != nil || row.error == nil {
        find(
          3, "The peer answered a request with status \(row.status), and not with an error", [row.evidence])
      }
      return nil
    }
    guard let hint = row.hint, let question = row.question else {
      if evidence.ledger.wallet != 1 { return nil }
      find(
        3, "The peer answered a request with status 200 that is no question, or without a hint",
        [row.evidence])
      return nil
    }
    return (question.recipient, question.amountMsat, hint)
  }

  /// A hint; only the delay may be anything between two.
  private struct Due {
    let hint: AccessEntry.Hint
    var leastMs: Int64?

    func fits(_ given: AccessEntry.Hint) -> Bool {
      guard given.advice == hint.advice, given.reason == hint.reason else { return false }
      guard let leastMs, let delayMs = given.delayMs, let mostMs = hint.delayMs else {
        return given.delayMs == hint.delayMs
      }
      return (leastMs...mostMs).contains(delayMs)
    }
  }

  /// The first that applies, as in the peer's table; nil if that cannot be known.
  private func hint(
    _ amountMsat: UInt64, at askedNs: Int64, _ pending: PendingPayments, _ moment: PeerReplay.Moment?
  ) -> Due? {
    if let failedNs = evidence.ledger.channelFailedNs, failedNs <= askedNs {
      return Due(hint: .init("do_not_retry", "recipient_channel_disabled"))
    }
    guard let moment, let balanceMsat = moment.balanceMsat.map({ Int128($0) }) else { return nil }
    if Int128(amountMsat) > balanceMsat + pending.offeredMsat {
      return Due(hint: .init("do_not_retry", "insufficient_liquidity"))
    }
    if Int128(amountMsat) > balanceMsat - pending.heldMsat {
      return Due(hint: .init("retry_later", "insufficient_liquidity", after: Self.laterMs))
    }
    if pending.count >= Self.pendingMost {
      return Due(hint: .init("retry_later", "unknown", after: Self.laterMs))
    }
    if moment.connection != nil {
      let reason = moment.isReestablished ? "unknown" : "disconnected"
      return Due(hint: .init("retry_now", reason, after: Self.soonMs))
    }
    // Less if a push is on its way.
    return Due(hint: .init("retry_later", "disconnected", after: Self.laterMs), leastMs: Self.soonMs)
  }
}
