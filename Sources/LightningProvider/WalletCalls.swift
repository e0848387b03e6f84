import Ground
import Lightning

/// The pushes to a disconnected wallet. A user sees each one, so the interval grows while the wallet does not
/// connect.
struct WalletCalls: Hashable, Sendable {
  /// The longest time to deliver and handle a push. Another one before that would reach the same process.
  static let callBound = TimeSpan.seconds(30)

  /// How long after a disconnect with a pending payment the first push is requested.
  private let callsBackAfter: TimeSpan
  /// Since when no connection is registered.
  private var awaySince: Instant?
  /// The newest push since the disconnect.
  private(set) var calledAt: Instant?
  /// When the newest batch of first pushes was due, while payments wait for the next one.
  private var batchedAt: Instant?
  /// The pushes without progress since the last news: the wallet did not connect, or could not settle, as with a
  /// part that lacks the others.
  private var unanswered = 0

  init(after callsBackAfter: TimeSpan, awaySince: Instant) {
    self.callsBackAfter = callsBackAfter
    self.awaySince = awaySince
  }

  mutating func walletCame() {
    awaySince = nil
    calledAt = nil
    batchedAt = nil
  }

  mutating func walletLeft(at now: Instant) {
    awaySince = now
    calledAt = nil
    batchedAt = nil
  }

  /// A new or ended payment: the interval starts again.
  mutating func noteNews() { unanswered = 0 }

  mutating func noteCall(at now: Instant) { if awaySince != nil { calledAt = now } }

  /// Before its pushes. All batches of first pushes are one call.
  mutating func noteUnansweredCall(hasUnannounced: Bool) {
    guard !hasUnannounced || batchedAt == nil else { return }
    unanswered = min(unanswered + 1, AnnouncementPace.doublings)
  }

  /// `hasUnannounced`: another batch is to follow. A late timer does not delay that, unless it was late by a whole
  /// pause: then two batches would come at once.
  mutating func noteBatch(dueAt: Instant, at now: Instant, hasUnannounced: Bool) {
    let isInTime = now < dueAt + AnnouncementPace.pause
    batchedAt = hasUnannounced ? (isInTime ? dueAt : now) : nil
  }

  /// Nil while the wallet is connected. `hasUnannounced`: a payment waits for its first push since the disconnect, and
  /// the push for another one does not delay it.
  func nextAt(hasUnannounced: Bool) -> Instant? {
    guard let awaySince else { return nil }
    if hasUnannounced {
      return batchedAt.map { $0 + AnnouncementPace.pause } ?? awaySince + span(from: callsBackAfter)
    }
    return calledAt.map { $0 + span(from: Self.callBound) } ?? awaySince + span(from: callsBackAfter)
  }

  private func span(from first: TimeSpan) -> TimeSpan { AnnouncementPace.pause(first, after: unanswered) }

  /// After the pushes for all payments `awaySince` has no effect.
  mutating func forgetLongAgo(at now: Instant, unannounced: Int) {
    if unannounced == 0 { batchedAt = nil }
    let isFirst = (calledAt == nil || unannounced > 0) && batchedAt == nil
    // The batch after the next one is due by how late that is.
    let late = unannounced > AnnouncementPace.batch ? AnnouncementPace.pause : .zero
    awaySince = awaySince.map { isFirst ? max($0, now - span(from: callsBackAfter) - late) : now }
    calledAt = calledAt.map { max($0, now - span(from: Self.callBound)) }
    batchedAt = batchedAt.map { max($0, now - AnnouncementPace.pause - late) }
  }
}

extension WalletCalls: Shiftable {
  mutating func shift(by span: TimeSpan) {
    awaySince.shift(by: span)
    calledAt.shift(by: span)
    batchedAt.shift(by: span)
  }
}

/// How often the LSP stores the wallet's backup. BOLT 1: it "MAY delay storage to ratelimit peer to no more than one
/// update per minute".
///
/// The first backup is stored at once and opens a window; of those that come in the window, the last is stored at its
/// end. Until then the LSP has it in memory only, and returns an older one to a wallet that reconnects.
struct StoragePace: Hashable, Sendable {
  struct Waiting: Hashable {
    fileprivate(set) var connection: UInt64
    fileprivate(set) var blob: Blob
  }

  /// Zero: each backup is stored at once.
  private let window: TimeSpan
  private var windowEnds: Instant?
  private(set) var waiting: Waiting?

  init(window: TimeSpan) { self.window = window }

  /// False: the backup waits, in place of one that waited before.
  mutating func storesAtOnce(_ blob: Blob, of connection: UInt64, at now: Instant) -> Bool {
    guard window > .zero else { return true }
    if let windowEnds, now < windowEnds {
      waiting = Waiting(connection: connection, blob: blob)
      return false
    }
    waiting = nil
    windowEnds = now + window
    return true
  }

  var storesAt: Instant? { waiting == nil ? nil : windowEnds }

  /// Opens the next window.
  mutating func takeDue(at now: Instant) -> Waiting? {
    guard let due = waiting, let windowEnds, windowEnds <= now else { return nil }
    waiting = nil
    self.windowEnds = now + window
    return due
  }

  mutating func forgetLongAgo(at now: Instant) {
    if let windowEnds, windowEnds <= now, waiting == nil { self.windowEnds = nil }
  }
}

extension StoragePace: Shiftable {
  mutating func shift(by span: TimeSpan) { windowEnds.shift(by: span) }
}

/// The LSP's delay in a splice, and its time limit for one.
struct SplicePace: Hashable, Sendable {
  /// BOLT 2's time limit for a quiescent channel: payments wait meanwhile.
  private static let quiescenceBound = TimeSpan.seconds(60)

  /// Messages that are sent after the delay.
  struct Held: Hashable {
    fileprivate(set) var connection: UInt64
    fileprivate(set) var sendAt: Instant
    fileprivate(set) var messages: [Message] = []
  }

  /// How long the LSP takes to sign for a new funding.
  private let delay: TimeSpan
  private var held: Held?
  /// The splice that was already delayed.
  private var delayed: TransactionID?
  /// Since when the registered connection's channel has been quiescent, or was asked to be.
  private var quiescentSince: Instant?

  init(delay: TimeSpan) { self.delay = delay }

  mutating func forgetConnection() {
    held = nil
    quiescentSince = nil
  }

  var sendsAt: Instant? { held?.sendAt }
  var quiescenceEndsAt: Instant? { quiescentSince.map { $0 + Self.quiescenceBound } }

  mutating func watchQuiescence(_ channel: Channel, at now: Instant) {
    quiescentSince = channel.isNegotiatingSplice ? quiescentSince ?? now : nil
  }

  /// Holds back the signature for a new funding, and all later messages; all are in the ledger already. Only once
  /// for each splice: a wallet that reconnects before the delay is over would never receive the signature.
  mutating func holds(
    _ message: Message, for connection: UInt64, _ splice: PendingSplice?, at now: Instant
  ) -> Bool {
    if held == nil {
      guard delay > .zero, case .commitmentSigned(let body) = message, let splice, body.funding == splice.id,
        delayed != splice.id
      else { return false }
      delayed = splice.id
      held = Held(connection: connection, sendAt: now + delay)
    }
    held?.messages.append(message)
    return true
  }

  mutating func takeDue(at now: Instant) -> Held? {
    guard let due = held, due.sendAt <= now else { return nil }
    held = nil
    return due
  }
}

extension SplicePace: Shiftable {
  mutating func shift(by span: TimeSpan) {
    held?.sendAt.shift(by: span)
    quiescentSince.shift(by: span)
  }
}
