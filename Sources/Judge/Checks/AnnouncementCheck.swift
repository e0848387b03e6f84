import Ground

// Whether each payment that waits for a wallet whose extension only notifies is announced, and each of them once
// (invariant 5).
extension Checker {
  /// One pair of pushes serves the parts of a payment that come within this time.
  private static let sharedNs: Int64 = 30_000_000_000
  /// A timer of a busy peer may be late.
  private static let lateNs: Int64 = 5_000_000_000

  mutating func checkAnnouncements() {
    let ledger = evidence.ledger
    checkPairs(ledger.pushes)
    // A wallet with a webhook gets no push, and a restart of the machine begins its clock anew.
    guard ledger.webhooks.isEmpty, ledger.hasOneClock else { return }
    let announced = AnnouncedTimes(ledger)
    let presence = Presence(ledger.connections)
    for payment in ledger.payments where payment.failure != "on-order" {
      guard payment.settledNs.map({ $0 >= payment.requestedNs }) ?? true else { continue }
      checkRequest(of: payment, announced, presence)
      // Where another lspd may take the wallet over, it waits anew, from a moment that no row tells.
      if !ledger.isShared { checkWaiting(payment, announced, presence) }
    }
  }

  private mutating func checkPairs(_ pushes: Rows<PushEntry>) {
    for (place, push) in pushes.enumerated() where push.payment != nil && push.isAlert {
      let before = place > 0 ? pushes[place - 1] : nil
      if before?.payment != push.payment || before?.isAlert != false || before?.id != push.id &- 1 {
        find(5, "Push \(push.id) is an alert without a silent push before it", [push.evidence])
      }
    }
  }

  /// Requested while no connection is open.
  private mutating func checkRequest(
    of payment: PaymentEntry, _ announced: AnnouncedTimes, _ presence: Presence
  ) {
    let requestedNs = payment.requestedNs
    guard payment.heldNs != nil, evidence.ledger.announces(at: requestedNs),
      !presence.isConnected(at: requestedNs)
    else {
      return
    }
    let untilNs = payment.settledNs ?? .max
    let isAnnounced = announced.alerts(of: payment).contains { alert in
      if alert.atNs >= requestedNs { return alert.atNs <= untilNs }
      // For an earlier part, which still waits: an attempt that has ended announces nothing.
      return alert.atNs >= requestedNs &- Self.sharedNs && announced.isPending(alert.payment, at: requestedNs)
    }
    if !isAnnounced {
      find(
        5, "Payment \(payment.id) waited for the wallet, and the peer requested no alert for it",
        [payment.evidence])
    }
  }

  /// Pending when the last connection closes: the peer calls back for it, in one of its batches, unless it ends or a
  /// wallet connects before.
  private mutating func checkWaiting(
    _ payment: PaymentEntry, _ announced: AnnouncedTimes, _ presence: Presence
  ) {
    let endNs = min(payment.settledNs ?? .max, evidence.ledger.channelFailedNs ?? .max)
    for away in presence.absences(after: payment.requestedNs) {
      guard away.fromNs < endNs else { return }
      let seenNs = min(away.toNs, endNs, announced.newestNs)
      guard evidence.ledger.announces(at: seenNs),
        !announced.hasAlert(of: payment, from: away.fromNs, to: seenNs)
      else {
        continue
      }
      // A restarted peer begins its wait anew.
      let fromNs = max(away.fromNs, evidence.ledger.run(at: seenNs)?.startedNs ?? 0)
      let beginNs = fromNs &+ announced.callBoundNs(at: fromNs)
      guard seenNs &- beginNs > Self.lateNs else { continue }
      let overNs = seenNs &- beginNs &- announced.delayNs(of: payment, at: fromNs)
      // A peer that is late with one batch is so with all that follow.
      guard overNs > Self.lateNs, let journal = evidence.peersJournal(at: seenNs), !journal.mayLack(seenNs),
        overNs &- journal.lateNs(from: beginNs, to: seenNs) > Self.lateNs
      else { continue }
      find(
        5,
        "Payment \(payment.id) waited for the wallet \((seenNs &- fromNs) / 1_000_000) ms after its last connection, and the peer requested no alert for it",
        [payment.evidence])
      return
    }
  }

  // MARK: What the user sees

  /// To the user, two notifications of one payment look like two payments; and an announcement beside the receipt is
  /// untrue. One that comes after the receipt is let pass: the extension cannot know of it.
  mutating func checkToldOnce(_ phone: PhoneEvidence) {
    var announcements: [String: String] = [:]
    for hash in evidence.ledger.paymentsByHash.keys {
      announcements[Self.notificationKey("notification", hash)] = Self.notificationKey("announcement", hash)
    }
    var present: [String: Int64] = [:]
    for change in phone.changes {
      if change.isGone {
        if present[change.key] == change.id { present[change.key] = nil }
        continue
      }
      for key in [change.key, announcements[change.key]].compactMap({ $0 }) {
        // iosd knows only its newest notifications.
        guard let earlier = present[key], change.id &- earlier < 256 else { continue }
        find(
          5,
          "Notification \(change.id) tells of the same payment as notification \(earlier), which is still there",
          ["os/notifications.jsonl \(change.id)"])
      }
      present[change.key] = change.id
    }
  }

  private static func notificationKey(_ what: String, _ paymentHash: [UInt8]) -> String {
    Hexadecimal.encode(Secrets.sha256(Array("\(what) of payment ".utf8) + paymentHash))
  }
}

/// When the peer has announced what.
private struct AnnouncedTimes {
  private let byHash: RowIndex<[UInt8], PushEntry>
  private let payments: [Int64: PaymentEntry]
  /// Of the alerts, each once, and of the requests that were held or offered: these begin the peer's pauses anew.
  private let alertTimes: [Int64]
  private let newsTimes: [Int64]
  /// The payments that did not end at once, and when they ended.
  private let pending: [PaymentEntry]
  private let ends: [Int64]
  private let starts: [Int64]
  /// The newest time of a payment: every push of before was read.
  let newestNs: Int64

  init(_ ledger: LedgerEvidence) {
    byHash = ledger.pushes.index { $0.isAlert ? $0.paymentHash : nil }
    payments = Dictionary(ledger.payments.map { ($0.id, $0) }) { first, _ in first }
    alertTimes = Set(ledger.pushes.filter(\.isAlert).map(\.atNs)).sorted()
    pending = ledger.payments.filter { $0.settledNs != $0.requestedNs }
    newsTimes = pending.map(\.requestedNs).sorted()
    ends = pending.compactMap(\.settledNs).sorted()
    starts = ledger.runs.map(\.startedNs)
    newestNs = ledger.payments.flatMap { [$0.requestedNs, $0.settledNs ?? 0] }.max() ?? 0
  }

  func alerts(of payment: PaymentEntry) -> [PushEntry] { byHash.all(payment.paymentHash) }

  func hasAlert(of payment: PaymentEntry, from fromNs: Int64, to toNs: Int64) -> Bool {
    alerts(of: payment).contains { $0.atNs >= fromNs && $0.atNs <= toNs }
  }

  func isPending(_ id: Int64?, at instantNs: Int64) -> Bool {
    guard let payment = id.flatMap({ payments[$0] }) else { return false }
    return payment.requestedNs <= instantNs && payment.settledNs.map { $0 > instantNs } ?? true
  }

  /// The peer's pause before it calls back, doubled by each call that nothing came of.
  func callBoundNs(at instantNs: Int64) -> Int64 {
    let news = newsTimes.countOfThose(upTo: instantNs)
    let start = starts.countOfThose(upTo: instantNs)
    let sinceNs = max(news > 0 ? newsTimes[news - 1] : .min, start > 0 ? starts[start - 1] : .min)
    let calls = alertTimes.countOfThose(upTo: instantNs) - alertTimes.countOfThose(upTo: sinceNs)
    return AnnouncementPace.pause(AnnouncementPace.first, after: calls).nanoseconds
  }

  /// How long after its first batch the peer comes to this payment, of those that were pending then.
  func delayNs(of payment: PaymentEntry, at instantNs: Int64) -> Int64 {
    let count = newsTimes.countOfThose(upTo: instantNs) - ends.countOfThose(upTo: instantNs)
    // Else there is one batch: not each look has to search all payments.
    guard count > AnnouncementPace.batch else { return 0 }
    let before = pending.filter {
      $0.id < payment.id && $0.requestedNs <= instantNs && $0.settledNs.map { $0 > instantNs } ?? true
    }
    let others = Set(before.map(\.paymentHash)).subtracting([payment.paymentHash])
    return AnnouncementPace.delay(behind: others.count).nanoseconds
  }
}

/// When the wallet was connected, from the peer's accepted connections.
private struct Presence {
  /// Without overlaps, the earliest first.
  private var spans: [(fromNs: Int64, toNs: Int64)] = []
  private let begins: [Int64]
  private let ends: [Int64]

  init(_ connections: Rows<ConnectionEntry>) {
    let all = connections.filter(\.isAccepted).compactMap { entry in
      entry.judgedNs.map { (fromNs: $0, toNs: entry.closedNs ?? .max) }
    }.sorted { $0.fromNs < $1.fromNs }
    for span in all {
      if let last = spans.last, span.fromNs <= last.toNs {
        spans[spans.count - 1].toNs = max(last.toNs, span.toNs)
      } else {
        spans.append(span)
      }
    }
    begins = spans.map(\.fromNs)
    ends = spans.map(\.toNs)
  }

  func isConnected(at instantNs: Int64) -> Bool {
    let count = begins.countOfThose(upTo: instantNs)
    return count > 0 && ends[count - 1] >= instantNs
  }

  /// The times without a connection that begin then or later, each from the end of one connection to the next.
  func absences(after instantNs: Int64) -> some Sequence<(fromNs: Int64, toNs: Int64)> {
    let first = ends.countOfThose(upTo: instantNs &- 1)
    return (first..<ends.count).lazy.filter { ends[$0] != .max }.map { place in
      (fromNs: ends[place], toNs: place + 1 < begins.count ? begins[place + 1] : .max)
    }
  }
}
