import Ground

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
