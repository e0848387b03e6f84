import Ground

/// The pushes that call a wallet which is away. Each is seen, so those that bring nobody come more and more seldom.
struct WalletCalls: Hashable, Sendable {
  /// As long as a push can be on its way and served. Another one would meet the same life of the wallet.
  static let callBound = TimeSpan.seconds(30)
  /// So often the time to the next call doubles, up to an hour.
  private static let doublings = 11
  private static let longest = TimeSpan.seconds(3600)

  /// How long the wallet may be away with an unresolved payment before it is called.
  private let callsBackAfter: TimeSpan
  /// Since when no connection is registered.
  private var awaySince: Instant?
  /// The newest push of this absence: nobody has come for it yet.
  private var calledAt: Instant?
  /// Since there was something new for the wallet: calls that brought nobody, or for nothing, as for a part that lacks the
  /// others.
  private var inVain = 0

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

  /// A reason to come, or to be called soon.
  mutating func noteNews() { inVain = 0 }

  mutating func noteCall(at now: Instant) { if awaySince != nil { calledAt = now } }

  mutating func noteVainCall() { inVain = min(inVain + 1, Self.doublings) }

  /// Nil: the wallet is there.
  var nextAt: Instant? { awaySince.map { (calledAt ?? $0) + span } }

  private var span: TimeSpan {
    let first = calledAt == nil ? callsBackAfter : Self.callBound
    return min(TimeSpan(nanoseconds: first.nanoseconds << Int64(inVain)), Self.longest)
  }

  /// Who has called counts from there.
  mutating func forgetLongAgo(at now: Instant) {
    let earliest = now - span
    awaySince = awaySince.map { calledAt == nil ? max($0, earliest) : now }
    calledAt = calledAt.map { max($0, earliest) }
  }
}

extension WalletCalls: Shiftable {
  mutating func shift(by span: TimeSpan) {
    awaySince.shift(by: span)
    calledAt.shift(by: span)
  }
}
