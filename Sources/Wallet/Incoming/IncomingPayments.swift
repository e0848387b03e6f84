import Ground
import Guardrails

/// The screen of the payments that an extension without a node has announced, and the end of their records.
///
/// The screen follows each payment from its announcement (a record, a tap, a push to the app in front) to its end: the
/// node has received it, the peer has ended its hold, or its time is over. A record is removed only when its payment's
/// end is known, so that no kill loses it: received by the node's own word, given up by the peer's, or not come while
/// the node was connected and had nothing to do. A payment is known by its hash, so that the record, the tap and the
/// node's word count once.
public struct IncomingPayments: Core {
  public static let name = "incoming"
  public static var deadlineReached: IncomingEvent { .deadlineReached }

  /// There are no settings.
  public struct Configuration: Hashable, Codable, Sendable { public init() {} }

  /// How long a payment without a known hold is waited for: to the connection, and once more from there. The peer
  /// offers held payments at once, and a sender retries for about this time.
  public static let patience = TimeSpan.seconds(5)
  public static let connectPatience = TimeSpan.seconds(30)
  /// The end that a push names is not trusted beyond this.
  static let longestHoldSeconds: Int64 = 3600
  public static let readAgainAfter = TimeSpan.milliseconds(250)
  /// The extension may store a record, and tell of it, later than the app has received its payment.
  static let lateRecord = TimeSpan.seconds(1)
  /// The newest payments, and ends of holds of one connection.
  static let most = 1000

  private(set) var isInFront = false
  private(set) var page = AppPage.main
  private(set) var payments: [Payment] = []
  /// The payment of the last notification: its end is shown before that of others.
  private(set) var focus: Bytes32?
  private(set) var connection = Connection.none
  /// Since the app came to the front, the records were read with a connected node.
  private var hasReadConnected = false
  /// When the records are to be read again.
  private var readAt: Instant?
  /// Reads that failed, one after the other, as of a damaged store: the next one waits twice as long, up to 4 s.
  private var failedReads = 0
  private var isReading = false
  /// The payments whose announcements were withdrawn since the app came to the front.
  private var withdrawn: [Bytes32] = []
  /// The receipts after which the records are read once more, and the announcement withdrawn, in the order of time.
  private var lateReads: [LateRead] = []
  /// Payments that may be received, to ask the container for.
  private var asked: [Bytes32] = []
  /// The holds that ended on this connection.
  private var endedHolds: [Bytes32] = []
  /// Payments of which the node has an HTLC, committed or not, or waits for further parts: no time limit of the screen.
  private(set) var collected: [Bytes32] = []
  /// The last shown screen, while the app is in front.
  private var shown: AppScreen?

  public init(configuration: Configuration = Configuration()) {}

  /// A payment may still come: deferred work waits.
  public var isWaiting: Bool { isInFront && payments.contains { $0.stage == .waits } }

  public var deadline: Instant? {
    guard isInFront else { return nil }
    var earliest = isReading ? nil : [readAt, lateReads.first?.at].compactMap { $0 }.min()
    // A payment that the node is receiving has no time limit.
    guard connection != .busy else { return earliest }
    for payment in payments where isTimed(payment) {
      earliest = min(earliest ?? payment.endsBy, payment.endsBy)
    }
    return earliest
  }

  public mutating func handle(_ event: IncomingEvent, at now: Instant) -> [IncomingDirective] {
    let couldTidy = !removable.isEmpty
    var directives = react(to: event, at: now)
    endOverdue(at: now)
    if !couldTidy, !removable.isEmpty, event != .tidyAsked { directives.append(.tidyWanted) }
    return directives + showChange()
  }

  private mutating func react(to event: IncomingEvent, at now: Instant) -> [IncomingDirective] {
    switch event {
    case .deadlineReached: return readIfDue(at: now)
    case .activated: return activated(at: now)
    case .deactivated: return deactivated()
    case .told(let announcement, let seconds): return told(announcement, atWallSeconds: seconds, at: now)
    case .linkFollowed(let page):
      self.page = page
      dismissEnded()
      return []
    case .pressed(let id, let button): return pressed(id, button, at: now)
    case .recordsRead(let records, let received, let seconds):
      return recordsRead(records, received, atWallSeconds: seconds, at: now)
    case .recordsNotRead(let trouble):
      isReading = false
      if isInFront { readAt = now + TimeSpan(nanoseconds: Self.readAgainAfter.nanoseconds << failedReads) }
      if case .blocked = trouble { failedReads = 0 } else { failedReads = min(failedReads + 1, 4) }
      return []
    case .removed(let hashes, let changed): return removed(hashes, changed, at: now)
    case .notRemoved(.blocked): return [.tidied(.busy("another process uses the records"))]
    case .notRemoved(let trouble): return [.tidied(.failed(trouble.text))]
    case .shown(let status): return shown(status, at: now)
    case .received(let payment):
      received(payment, at: now)
      // In the background the app's notification of the payment takes the announcement's place.
      return isInFront ? withdraw([payment]) : []
    case .holdEnded(let hash):
      holdEnded(hash)
      return []
    case .collecting(let hashes):
      collecting(hashes, at: now)
      return []
    case .tidyAsked:
      let records = removable
      return records.isEmpty ? [.tidied(.done("no ended record of an incoming payment"))] : [.remove(records)]
    }
  }

  // MARK: The app

  private mutating func activated(at now: Instant) -> [IncomingDirective] {
    guard !isInFront else { return [] }
    isInFront = true
    hasReadConnected = connection != .none
    return read(at: now)
  }

  /// Payments that are still awaited are found again by their records, and by the next tap.
  private mutating func deactivated() -> [IncomingDirective] {
    isInFront = false
    page = .main
    focus = nil
    shown = nil
    readAt = nil
    (withdrawn, lateReads) = ([], [])
    asked = []
    payments.removeAll { !($0.isStored && $0.isOver) }
    for index in payments.indices { payments[index].isDismissed = true }
    return []
  }

  private mutating func told(
    _ announcement: Announcement?, atWallSeconds seconds: Int64, at now: Instant
  ) -> [IncomingDirective] {
    guard isInFront, let hash = announcement?.payment else { return [] }
    beginBurst()
    focus = hash
    add(hash, hold(announcement?.holdEndsAt, seconds, at: now), at: now)
    if !asked.contains(hash) { asked.append(hash) }
    return read(at: now)
  }

  private mutating func pressed(_ id: String, _ button: ScreenButton, at now: Instant) -> [IncomingDirective]
  {
    guard isInFront, screen.buttons.contains(button) else {
      return [
        .answerPress(id, refusal: "the screen has no button “\(button.title)” now: it shows “\(screen.text)”")
      ]
    }
    let done = IncomingDirective.answerPress(id, refusal: nil)
    guard button == .retry else { return [.copy(ScreenButton.messageForSender), done] }
    // On a new connection the peer says again which holds have ended, unless the sender has tried again.
    connection = .none
    endedHolds = []
    for index in payments.indices where payments[index].stage == .expired {
      payments[index].hold = nil
      wait(for: index, at: now)
    }
    return [.connectAgain, done]
  }

  // MARK: Records

  /// While a read is under way, once more after it: its answer may be older than the wish.
  private mutating func read(at now: Instant) -> [IncomingDirective] {
    readAt = isReading ? now : nil
    guard !isReading else { return [] }
    isReading = true
    return [.read(asked)]
  }

  private mutating func readIfDue(at now: Instant) -> [IncomingDirective] {
    let late = lateReads.prefix { $0.at <= now }
    guard !isReading, !late.isEmpty || readAt.map({ $0 <= now }) ?? false else { return [] }
    lateReads.removeFirst(late.count)
    return late.map { .withdrawAnnouncement(of: $0.payment) } + read(at: now)
  }

  /// The phone alone knows which of them have an announcement.
  private mutating func withdraw(_ received: [ReceivedPayment]) -> [IncomingDirective] {
    let hashes = received.map(\.paymentHash).filter { !withdrawn.contains($0) }
    withdrawn = (withdrawn + hashes).suffix(Self.most)
    return hashes.map { .withdrawAnnouncement(of: $0) }
  }

  private mutating func recordsRead(
    _ records: [IncomingRecord], _ settled: [ReceivedPayment], atWallSeconds seconds: Int64, at now: Instant
  ) -> [IncomingDirective] {
    isReading = false
    failedReads = 0
    guard isInFront else { return [] }
    for record in records {
      // The extension changes a record's end when the same payment is announced again: the sender has tried again.
      let known = payments.first { $0.hash == record.paymentHash }
      if known == nil || known?.stage == .expired && known?.hold?.wallSeconds != record.holdEndsAt {
        add(record.paymentHash, hold(record.holdEndsAt, seconds, at: now), at: now)
      }
      change(record.paymentHash) { $0.record = record }
    }
    for payment in settled { received(payment, at: now) }
    for hash in endedHolds { holdEnded(hash) }
    // Asked for while the answer was on its way.
    let answered = asked.filter { hash in settled.contains { $0.paymentHash == hash } }
    asked.removeAll { answered.contains($0) }
    // The push of a payment can come after its receipt: the record says that it was announced.
    return withdraw(settled)
  }

  /// A changed record is of an announcement that this process has not read: its sender has tried again.
  private mutating func removed(
    _ hashes: [Bytes32], _ changed: [Bytes32], at now: Instant
  ) -> [IncomingDirective] {
    for hash in hashes + changed { change(hash) { $0.record = nil } }
    // Nothing leads to the payment after its record: not to an announcement that came with the record either.
    let received = hashes.filter { hash in payments.contains { $0.hash == hash && $0.isReceived } }
    // Only its record kept it in mind.
    if !isInFront { payments.removeAll { !$0.isStored } }
    let done = IncomingDirective.tidied(
      .done("removed the ended records of \(hashes.count) incoming payments"))
    return received.map { .withdrawAnnouncement(of: $0) } + [done]
      + (isInFront && !changed.isEmpty ? read(at: now) : [])
  }

  private var removable: [IncomingRecord] { payments.filter(\.isOver).compactMap(\.record) }

  // MARK: The node

  private mutating func shown(_ status: Status, at now: Instant) -> [IncomingDirective] {
    let before = connection
    switch status {
    case .connected: connection = .idle
    case .settling: connection = .busy
    default: connection = .none
    }
    if connection == .none, before != .none { endedHolds = [] }
    // What the peer holds comes right after the connection: until then no payment is given up.
    if connection != before {
      for index in payments.indices where !payments[index].isOver {
        payments[index].endsBy = end(of: index, at: now)
      }
    }
    guard isInFront, connection != .none, !hasReadConnected else { return [] }
    // A payment of an earlier process may be settled by now.
    hasReadConnected = true
    return read(at: now)
  }

  /// A payment that was not announced is shown too.
  private mutating func received(_ payment: ReceivedPayment, at now: Instant) {
    guard isInFront else { return }
    let isKnown = payments.contains { $0.hash == payment.paymentHash }
    if !isKnown {
      beginBurst()
      add(payment.paymentHash, nil, at: now)
    }
    // A record that is found only at the next opening would show the payment once more, and an announcement that comes
    // after its record was removed would stay.
    if payments.contains(where: { $0.hash == payment.paymentHash && !$0.isOver }) {
      lateReads = (lateReads + [LateRead(payment: payment.paymentHash, at: now + Self.lateRecord)])
        .suffix(Self.most)
    }
    change(payment.paymentHash) {
      $0.stage = .received(msat: payment.amountMsat)
      $0.isOver = true
    }
  }

  /// A payment that has come in part is not over. When the node has given its parts back, its sender may try again.
  private mutating func collecting(_ hashes: [Bytes32], at now: Instant) {
    let before = collected
    collected = hashes
    // Its sender has tried again: what the peer said of the earlier attempt is over.
    endedHolds.removeAll { hashes.contains($0) }
    for index in payments.indices {
      let payment = payments[index]
      if hashes.contains(payment.hash), payment.stage == .expired { wait(for: index, at: now) }
      let isGivenBack = before.contains(payment.hash) && !hashes.contains(payment.hash)
      if isGivenBack, payment.stage == .waits { payments[index].endsBy = end(of: index, at: now) }
    }
  }

  /// The next moment changes it: it expires, or, expired without a connection, its end becomes known.
  private func isTimed(_ payment: Payment) -> Bool {
    guard !collected.contains(payment.hash) else { return false }
    return switch payment.stage {
    case .waits: true
    case .expired: !payment.isOver && connection == .idle
    case .received: false
    }
  }

  private mutating func holdEnded(_ hash: Bytes32) {
    if !endedHolds.contains(hash) { endedHolds = (endedHolds + [hash]).suffix(Self.most) }
    change(hash) {
      if case .received = $0.stage { return }
      $0.stage = .expired
      $0.isOver = true
    }
  }

  // MARK: Payments

  /// What has ended before another payment began does not count into its sum.
  private mutating func beginBurst() {
    guard !payments.contains(where: { $0.stage == .waits }) else { return }
    dismissEnded()
  }

  /// Its record, if there is one, is still to be removed.
  private mutating func dismissEnded() {
    focus = nil
    payments.removeAll { $0.stage != .waits && !$0.isStored }
    for index in payments.indices where payments[index].stage != .waits { payments[index].isDismissed = true }
  }

  private mutating func add(_ hash: Bytes32, _ hold: Hold?, at now: Instant) {
    if let index = payments.firstIndex(where: { $0.hash == hash }) {
      // The same payment again, such as after the sender has tried again.
      payments[index].isDismissed = false
      guard payments[index].stage == .expired else { return }
      payments[index].hold = hold
      return wait(for: index, at: now)
    }
    payments = (payments + [Payment(hash: hash, hold: hold, endsBy: now)]).suffix(Self.most)
    wait(for: payments.count - 1, at: now)
  }

  private mutating func wait(for index: Int, at now: Instant) {
    payments[index].stage = .waits
    payments[index].isOver = false
    payments[index].endsBy = end(of: index, at: now)
  }

  /// A hold that has ended already leaves the time that a payment without a known hold has.
  private func end(of index: Int, at now: Instant) -> Instant {
    let hold = payments[index].hold.flatMap { $0.end > now ? $0.end : nil }
    guard connection == .none else { return max(hold ?? now, now + Self.patience) }
    return hold ?? now + (payments[index].hold == nil ? Self.connectPatience : Self.patience)
  }

  private mutating func change(_ hash: Bytes32, _ body: (inout Payment) -> Void) {
    if let index = payments.firstIndex(where: { $0.hash == hash }) { body(&payments[index]) }
  }

  private func hold(_ wallSecondsOfEnd: Int64?, _ wallSeconds: Int64, at now: Instant) -> Hold? {
    guard let wallSecondsOfEnd else { return nil }
    let (left, overflowed) = wallSecondsOfEnd.subtractingReportingOverflow(wallSeconds)
    let span = TimeSpan.seconds(overflowed ? 0 : min(max(left, 0), Self.longestHoldSeconds))
    return Hold(wallSeconds: wallSecondsOfEnd, end: now + span)
  }

  private mutating func endOverdue(at now: Instant) {
    guard isInFront, connection != .busy else { return }
    for index in payments.indices where isTimed(payments[index]) && payments[index].endsBy <= now {
      payments[index].stage = .expired
      payments[index].isOver = connection == .idle
    }
  }

  // MARK: The screen

  private mutating func showChange() -> [IncomingDirective] {
    guard isInFront, screen != shown else { return [] }
    shown = screen
    return [.show(screen)]
  }
}

extension IncomingPayments: Shiftable {
  /// Every end that has come is the same: only a new wait sets another.
  package mutating func forgetLongAgo(at now: Instant) {
    for index in payments.indices {
      payments[index].endsBy = max(payments[index].endsBy, now)
      if let hold = payments[index].hold { payments[index].hold?.end = max(hold.end, now) }
    }
  }

  package mutating func shift(by span: TimeSpan) {
    readAt.shift(by: span)
    for index in lateReads.indices { lateReads[index].at.shift(by: span) }
    for index in payments.indices {
      payments[index].hold?.end.shift(by: span)
      payments[index].endsBy.shift(by: span)
    }
  }
}

// One payment on the screen, what its time depends on, and the screen of all.
extension IncomingPayments {
  struct Payment: Hashable, Sendable {
    enum Stage: Hashable, Sendable {
      case waits
      case received(msat: UInt64)
      case expired
    }

    var hash: Bytes32
    var stage = Stage.waits
    /// When the peer gives it up, in the record's words and on this process's clock.
    var hold: Hold?
    /// When it counts as expired, if it has not come by then.
    var endsBy: Instant
    /// Its record, as it was read last.
    var record: IncomingRecord?
    /// The record may be removed.
    var isOver = false
    var isReceived: Bool { if case .received = stage { true } else { false } }
    /// Not shown any more; only its record is still there.
    var isDismissed = false

    var isStored: Bool { record != nil }
  }

  struct Hold: Hashable, Sendable {
    var wallSeconds: Int64
    var end: Instant
  }

  /// How far the node is.
  enum Connection: Hashable, Sendable {
    case none
    /// Established, and at work on a payment.
    case busy
    /// Established, with nothing to do.
    case idle
  }

  /// After a receipt.
  struct LateRead: Hashable, Sendable {
    var payment: Bytes32
    var at: Instant
  }

  // MARK: The screen

  var screen: AppScreen {
    let present = payments.filter { !$0.isDismissed }
    if present.contains(where: { $0.stage == .waits }) {
      return .incoming(connection == .none ? .connecting : .completing)
    }
    let msat = present.compactMap { if case .received(let msat) = $0.stage { msat } else { nil } }
    let isFocusExpired = present.contains { $0.hash == focus && $0.stage == .expired }
    if !msat.isEmpty, !isFocusExpired {
      return .incoming(.completed(sats: msat.reduce(0) { $0 &+ $1 } / 1000))
    }
    return present.isEmpty ? .page(page) : .incoming(.expired)
  }
}
