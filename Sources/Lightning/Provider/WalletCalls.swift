import Ground

/// The pushes to a disconnected wallet. A user sees each one, so the interval grows while the wallet does not
/// connect.
struct WalletCalls: Hashable, Sendable {
  /// The longest time to deliver and handle a push. Another one before that would reach the same process.
  static let callBound = TimeSpan.seconds(30)
  /// How often the interval doubles, up to an hour.
  private static let doublings = 11
  private static let longest = TimeSpan.seconds(3600)

  /// How long after a disconnect with a pending payment the first push is requested.
  private let callsBackAfter: TimeSpan
  /// Since when no connection is registered.
  private var awaySince: Instant?
  /// The newest push since the disconnect.
  private(set) var calledAt: Instant?
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
  }

  mutating func walletLeft(at now: Instant) {
    awaySince = now
    calledAt = nil
  }

  /// A new or ended payment: the interval starts again.
  mutating func noteNews() { unanswered = 0 }

  mutating func noteCall(at now: Instant) { if awaySince != nil { calledAt = now } }

  mutating func noteUnansweredCall() { unanswered = min(unanswered + 1, Self.doublings) }

  /// Nil while the wallet is connected. `hasUnannounced`: a payment waits for its first push since the disconnect, and
  /// the push for another one does not delay it.
  func nextAt(hasUnannounced: Bool) -> Instant? {
    guard let calledAt, !hasUnannounced else { return awaySince.map { $0 + span(from: callsBackAfter) } }
    return awaySince.map { _ in calledAt + span(from: Self.callBound) }
  }

  private func span(from first: TimeSpan) -> TimeSpan {
    min(TimeSpan(nanoseconds: first.nanoseconds << Int64(unanswered)), Self.longest)
  }

  /// After the pushes for all payments `awaySince` has no effect.
  mutating func forgetLongAgo(at now: Instant, hasUnannounced: Bool) {
    let isFirst = calledAt == nil || hasUnannounced
    awaySince = awaySince.map { isFirst ? max($0, now - span(from: callsBackAfter)) : now }
    calledAt = calledAt.map { max($0, now - span(from: Self.callBound)) }
  }
}

extension WalletCalls: Shiftable {
  mutating func shift(by span: TimeSpan) {
    awaySince.shift(by: span)
    calledAt.shift(by: span)
  }
}
