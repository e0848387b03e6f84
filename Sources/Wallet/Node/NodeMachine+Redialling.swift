import Ground

// Dialling again: after a pause that grows with each failed attempt, and at once for a user.
extension NodeMachine {
  /// Disconnects, and dials again after a pause that grows with each failed attempt.
  mutating func redial(_ why: String, at now: Instant) -> [NodeDirective] {
    if case .draining = state {
      // The node stops with this connection.
      forgetConnection()
      state = .stopped
      return [.cutOff, .report(.stopped)]
    }
    if case .failed = state { return [.report(.trouble(why))] }
    guard isNetworkThere else {
      forgetConnection()
      state = .offline
      return refuseNegotiation(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
    }
    if connection.isProven(at: now) { pace.startAnew() }
    forgetConnection()
    state = .pausing(until: now + pace.pause(claim?.incarnation))
    return refuseNegotiation(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
  }

  /// Ends a long pause, as an HTLC may be pending at the peer. The count of attempts stays, so that a slow peer
  /// keeps its longer time limits.
  mutating func endLongPause(at now: Instant) -> [NodeDirective] {
    guard case .pausing(let end) = state, end - now > DialPace.longPause else { return [] }
    return dialOrWait()
  }

  /// Ends the pause and starts the count anew, as a user has come or requests something.
  mutating func endPause() -> [NodeDirective] {
    guard case .pausing = state else { return [] }
    pace.startAnew()
    return dialOrWait()
  }

  /// Replaces a connection without work by a new one, on which the peer says again what it has for the wallet, and ends
  /// a pause. A connection that is still being opened, or has work, is left alone; of one with work this is reported.
  mutating func connectAgain() -> [NodeDirective] {
    switch state {
    case .pausing: return endPause()
    case .mute: break
    case .established where activity == .nothing && step == nil: break
    case .established: return [.report(.connectionKept)]
    default: return []
    }
    pace.startAnew()
    forgetConnection()
    return refuseNegotiation(Self.spliceLost) + [.cutOff] + dialOrWait() + [.report(.connecting)]
  }
}
