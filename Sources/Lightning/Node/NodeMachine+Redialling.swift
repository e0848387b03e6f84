import Ground

// Dialling again: after a pause that grows while it leads nowhere, and at once when a user is there.
extension NodeMachine {
  /// Hangs up and tries again after a pause that grows with every attempt that led nowhere.
  mutating func redial(_ why: String, at now: Instant) -> [NodeDirective] {
    if case .draining = state {
      // Nobody wants another connection: what ends this one ends the node.
      forgetConnection()
      state = .stopped
      return [.cutOff, .report(.stopped)]
    }
    if case .failed = state { return [.report(.trouble(why))] }
    guard isNetworkThere else {
      forgetConnection()
      state = .offline
      return refuseTalk(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
    }
    if connection.isProven(at: now) { pace.startAnew() }
    forgetConnection()
    state = .pausing(until: now + pace.pause(claim?.incarnation))
    return refuseTalk(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
  }

  /// A payment waits at the peer while a long pause goes on. The attempts count on: a peer that is slow to answer keeps its
  /// long bounds however often it is said.
  mutating func endLongPause(at now: Instant) -> [NodeDirective] {
    guard case .pausing(let end) = state, end - now > DialPace.longPause else { return [] }
    return dialOrWait()
  }

  /// A user is there, or wants something: the pause was for a phone that nobody looks at.
  mutating func hurry() -> [NodeDirective] {
    guard case .pausing = state else { return [] }
    pace.startAnew()
    return dialOrWait()
  }
}
