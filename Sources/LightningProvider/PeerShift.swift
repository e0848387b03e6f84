import Ground
import Lightning

// The LSP with all instants shifted, and without those that are too old to matter.
extension PeerMachine: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    for index in state.payments.indices { state.payments[index].shift(by: span) }
    for index in links.indices { links[index].shift(by: span) }
    calls.shift(by: span)
    for index in routed.indices { routed[index].shift(by: span) }
    splicePace.shift(by: span)
    storage.shift(by: span)
    otherNodes.shift(by: span)
    backups.shift(by: span)
    state.webhooks?.shift(by: span)
  }

  /// Moves instants that are too old to matter forward, so that equivalent states are equal.
  public mutating func forgetLongAgo(at now: Instant) {
    for index in links.indices { links[index].forgetLongAgo(at: now) }
    for index in state.payments.indices { state.payments[index].forgetLongAgo(at: now) }
    calls.forgetLongAgo(at: now, unannounced: unannouncedCount)
    storage.forgetLongAgo(at: now)
    otherNodes.forgetLongAgo(at: now)
    backups.forgetLongAgo(at: now)
  }
}

extension PeerLink: Shiftable {
  mutating func shift(by span: TimeSpan) {
    initBy.shift(by: span)
    chatter.shift(by: span)
    gossip.shift(by: span)
    silence?.shift(by: span)
  }

  mutating func forgetLongAgo(at now: Instant) {
    chatter.forgetLongAgo(at: now)
    gossip.forgetLongAgo(at: now)
    // The time limit ends with `init`.
    if state != .awaitingInit { initBy = now }
    if state != .registered, state != .visiting { silence = nil }
  }
}

extension PeerPayment {
  mutating func shift(by span: TimeSpan) {
    request.holdUntil.shift(by: span)
    calledAt?.shift(by: span)
  }

  mutating func forgetLongAgo(at now: Instant) {
    // For offered payments `WalletCalls` has the pushes.
    let isOver = calledAt.map { now >= $0 + WalletCalls.callBound } ?? true
    if !isHeld || isOver { calledAt = nil }
  }
}
