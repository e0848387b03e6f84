// Invariant 3: a sender that counts its attempts begins another one only where that can help, and in its time.
extension Checker {
  /// From the end of an attempt to the next one if no hint is heard: after attempts 1, 2, 3.
  private static let scheduleNs: [Int64] = [1_000_000_000, 3_000_000_000, 7_000_000_000]
  /// So long after its start a sender may shorten a pause, as its deadline is near.
  private static let lateInPaymentNs: Int64 = 5_000_000_000

  mutating func checkAttempts(_ replay: PeerReplay) {
    // A restart of the machine begins its clock anew.
    guard evidence.ledger.hasOneClock else { return }
    let heard = hints(to: replay.wallet)
    let heardNs = heard.map(\.atNs)
    var earlier: [[UInt8]: [PaymentEntry]] = [:]
    for payment in evidence.ledger.payments where payment.attempt != nil {
      let before = earlier[payment.paymentHash] ?? []
      check(payment, after: before) { from, to in
        heard[
          heardNs.countOfThose(
            upTo: from)..<max(heardNs.countOfThose(upTo: from), heardNs.countOfThose(upTo: to))]
      }
      earlier[payment.paymentHash] = before + [payment]
    }
  }

  private struct Heard {
    let atNs: Int64
    let amountMsat: UInt64
    let hint: AccessEntry.Hint
    let evidence: String
  }

  /// By time.
  private func hints(to wallet: [UInt8]?) -> [Heard] {
    let all = evidence.access.compactMap { row -> Heard? in
      guard let hint = row.hint, let question = row.question, question.recipient == wallet else { return nil }
      return Heard(atNs: row.atNs, amountMsat: question.amountMsat, hint: hint, evidence: row.evidence)
    }
    return all.sorted { $0.atNs < $1.atNs }
  }

  /// Several senders may pay one invoice, so any earlier attempt may be the one before. Attempts that lspd never got
  /// have no row.
  private mutating func check(
    _ payment: PaymentEntry, after earlier: [PaymentEntry], heard: (Int64, Int64) -> ArraySlice<Heard>
  ) {
    guard let number = payment.attempt, number > 1 else { return }
    let candidates = earlier.filter { ($0.attempt ?? .max) < number && $0.isFailed }
    guard let last = candidates.last else { return }
    let name = "Attempt \(number) (payment \(payment.id), \(shortHex(payment.paymentHash)))"
    let passing = candidates.filter { FailureWords.mayPass($0.failureCode ?? 0) }
    if passing.isEmpty {
      return find(
        3, "\(name) followed a failure with code \(last.failureCode ?? 0), after which none can succeed",
        [payment.evidence, last.evidence])
    }
    let sinceNs = payment.requestedNs &- (earlier.first?.requestedNs ?? payment.requestedNs)
    var tooSoon: (before: PaymentEntry, hint: Heard)?
    for before in passing {
      let hints = heard(before.settledNs ?? .max, payment.requestedNs).filter {
        Int64(bitPattern: $0.amountMsat) == before.wholeMsat
      }
      // It has asked nobody, or another server.
      guard let hint = hints.last else { return }
      let gapNs = payment.requestedNs &- (before.settledNs ?? 0)
      let place = Int(clamping: (before.attempt ?? 1) - 1)
      // A hint that is not heard within a second is none.
      let isOfSchedule = gapNs >= Self.scheduleNs[min(place, Self.scheduleNs.count - 1)]
      let isAdvised = hints.contains { heard in
        guard let delayMs = heard.hint.delayMs else { return false }
        return gapNs / 1_000_000 >= delayMs || sinceNs >= Self.lateInPaymentNs
      }
      if isOfSchedule || isAdvised { return }
      tooSoon = (before, hint)
    }
    guard let tooSoon else { return }
    let gapMs = (payment.requestedNs &- (tooSoon.before.settledNs ?? 0)) / 1_000_000
    find(
      3,
      "\(name) began \(gapMs) ms after the one before, where the peer had answered \(tooSoon.hint.hint.words)",
      [payment.evidence, tooSoon.before.evidence, tooSoon.hint.evidence])
  }
}

extension PaymentEntry {
  /// What the sender asks about: the sum of all parts.
  fileprivate var wholeMsat: Int64 { data.map { Int64(bitPattern: $0.totalMsat) } ?? amountMsat }
}

/// What a failure code of BOLT 4 means to a sender with one route.
private enum FailureWords {
  private static let permanentFlag: Int64 = 0x4000
  /// Permanent by its flag, but common peers send it for a recipient that is only away: unknown_next_peer.
  private static let passingNevertheless: Set<Int64> = [0x400A]
  /// amount_below_minimum, final_incorrect_htlc_amount.
  private static let finalNevertheless: Set<Int64> = [0x100B, 0x0013]

  static func mayPass(_ code: Int64) -> Bool {
    if passingNevertheless.contains(code) { return true }
    return code & permanentFlag == 0 && !finalNevertheless.contains(code)
  }
}
