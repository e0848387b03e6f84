import CoreShape

// The peer in another hour, without what lies too far back to matter.
extension PeerMachine: Shiftable {
  public mutating func shift(by span: Span) {
    for index in state.payments.indices { state.payments[index].request.holdUntil.shift(by: span) }
    for index in links.indices { links[index].shift(by: span) }
    absence?.since.shift(by: span)
    for index in routed.indices { routed[index].shift(by: span) }
  }

  /// What lies so far back that it makes no difference any more is as if it were a little younger.
  public mutating func forgetLongAgo(at now: Instant) {
    for index in links.indices { links[index].forgetLongAgo(at: now) }
    if let absence {
      let span = callBackSpan
      self.absence?.since = absence.isCalledBack ? now : max(absence.since, now - span)
    }
  }
}

extension PeerLink: Shiftable {
  mutating func shift(by span: Span) {
    greetBy.shift(by: span)
    chatter.shift(by: span)
    silence?.shift(by: span)
  }

  mutating func forgetLongAgo(at now: Instant) {
    chatter.forgetLongAgo(at: now)
    // Who has greeted is not waited for.
    if state != .greeting { greetBy = now }
    if state != .registered, state != .visiting { silence = nil }
  }
}
