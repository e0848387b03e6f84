import Ground

// The user's word that the wallet lives in this container from now on.
extension Ownership {
  /// As long as `baton restore` waits: what is refused later is a new question to the user.
  static let moveWordBound = TimeSpan.seconds(10)

  /// What failed before is no answer to this word: it is looked at again, at once.
  mutating func moveHere(at now: Instant) -> [GuardDirective] {
    movesHereUntil = now + Self.moveWordBound
    guard case .looking(var looking) = state, looking.trouble != nil else { return [] }
    let asks = !looking.isLooking
    looking.trouble = nil
    looking.isLooking = true
    state = .looking(looking)
    return asks ? [.look] : []
  }

  /// Of a failure the user is told, and asks again; what is only blocked is waited for.
  mutating func forgetMoveWord(after trouble: Trouble) {
    if case .failed = trouble { movesHereUntil = nil }
  }

  mutating func forgetOldMoveWord(at now: Instant) {
    if let movesHereUntil, now >= movesHereUntil { self.movesHereUntil = nil }
  }
}
