import Ground

// Dialling again: after a pause that grows while it leads nowhere, and at once when a person is there.
extension NodeMachine {
  private static let longPause = TimeSpan.seconds(8)

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
    if let establishedAt, now - establishedAt >= Self.provenAfter { attempt = 0 }
    forgetConnection()
    state = .pausing(until: now + pause())
    attempt += 1
    return refuseTalk(Self.spliceLost) + [.cutOff, .report(.trouble(why)), .report(.connecting)]
  }

  /// Long pauses differ by up to a quarter from wallet to wallet and from dial to dial, so that not all come back to a
  /// restarted peer at once. The chance is that of the claim's incarnation, which is drawn.
  private func pause() -> TimeSpan {
    let pause = Self.redialPauses[min(attempt, Self.redialPauses.count - 1)]
    guard pause > Self.longPause, let incarnation = claim?.incarnation else { return pause }
    var mixed = (incarnation &+ UInt64(attempt)) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 32)) &* 0xD6E8_FEB8_6659_FD93
    return TimeSpan(nanoseconds: pause.nanoseconds + pause.nanoseconds / 4096 * Int64(mixed >> 54))
  }

  /// A payment waits at the peer while a long pause goes on. The attempts count on: a peer that is slow to answer keeps its
  /// long bounds however often it is said.
  mutating func endLongPause(at now: Instant) -> [NodeDirective] {
    guard case .pausing(let end) = state, end - now > Self.longPause else { return [] }
    return dialOrWait()
  }

  /// A person is there, or wants something: the pause was for a phone that nobody looks at.
  mutating func hurry() -> [NodeDirective] {
    guard case .pausing = state else { return [] }
    attempt = 0
    return dialOrWait()
  }
}
