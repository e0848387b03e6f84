// When a payment's wait for the wallet ends, and which payments fail by order (invariant 3).
extension Checker {
  /// A timer of a busy peer may be late.
  private static let lateNs: Int64 = 5_000_000_000
  private static let temporaryChannelFailure: Int64 = 0x1007

  mutating func checkHoldWindows() {
    // The newest time in the same table: what was read of other tables may be newer.
    let newest = evidence.ledger.payments.flatMap { [$0.requestedNs, $0.offeredNs, $0.settledNs] }.compactMap
    {
      $0
    }.max()
    for payment in evidence.ledger.payments {
      guard let holdUntilNs = payment.holdUntilNs else { continue }
      checkMissed(payment, until: holdUntilNs)
      let isWaiting = payment.state == "held"
      guard let endNs = payment.offeredNs ?? payment.settledNs ?? (isWaiting ? newest : nil) else { continue }
      // A restart of the machine begins its clock anew.
      guard endNs >= payment.requestedNs else { continue }
      let overNs = overNs(holdUntilNs, endNs: endNs)
      guard overNs > Self.lateNs else { continue }
      let name = "Payment \(payment.id) of \(amountWords(payment.amountMsat))"
      let spanMs = overNs / 1_000_000
      find(
        3, "\(name) \(isWaiting ? "is" : "was") held \(spanMs) ms longer than its sender was told",
        [payment.evidence])
    }
    checkOrders()
  }

  /// How long the peer, awake, has held a payment beyond its time. A peer that did not run, or was stopped, ends the
  /// holds when it runs again; it notes in its journal that it was late.
  private func overNs(_ holdUntilNs: Int64, endNs: Int64) -> Int64 {
    let dueNs = max(holdUntilNs, evidence.ledger.run(at: endNs)?.startedNs ?? 0)
    let overNs = endNs &- dueNs
    guard overNs > Self.lateNs else { return 0 }
    // Without the journal, or with lines missing there, nobody knows whether it was stopped.
    guard let journal = evidence.peersJournal(at: endNs), !journal.mayLack(endNs) else { return 0 }
    return overNs &- journal.lateNs(from: dueNs, to: endNs)
  }

  private mutating func checkMissed(_ payment: PaymentEntry, until holdUntilNs: Int64) {
    guard payment.isMissed else { return }
    if payment.failureCode != Self.temporaryChannelFailure {
      find(
        3,
        "Payment \(payment.id) failed without the wallet with code \(payment.failureCode ?? 0) in place of temporary_channel_failure",
        [payment.evidence])
    }
    if let settledNs = payment.settledNs, settledNs >= payment.requestedNs, settledNs < holdUntilNs {
      find(
        3,
        "Payment \(payment.id) failed without the wallet \((holdUntilNs &- settledNs) / 1_000_000) ms before its hold ended",
        [payment.evidence])
    }
  }

  /// Each failure on order is one of the newest order at that time, and is counted there.
  private mutating func checkOrders() {
    // A restart of the machine begins its clock anew: then no time tells which order a failure belongs to.
    guard evidence.ledger.hasOneClock else { return }
    let orders = evidence.ledger.orderedFailures
    var used = [Int64](repeating: 0, count: orders.count)
    let times = orders.map(\.atNs)
    for payment in evidence.ledger.payments where payment.isFailed && payment.failure == "on-order" {
      let count = times.countOfThose(upTo: payment.settledNs ?? payment.requestedNs)
      guard count > 0, orders[count - 1].code == payment.failureCode else {
        find(3, "Payment \(payment.id) failed by an order that the ledger does not have", [payment.evidence])
        continue
      }
      used[count - 1] += 1
    }
    for (order, used) in zip(orders, used) where used != order.times &- order.left {
      find(
        3,
        "Of the order of \(order.times) failures \(order.left) are left, and \(used) payments failed by it",
        [order.evidence])
    }
  }
}
