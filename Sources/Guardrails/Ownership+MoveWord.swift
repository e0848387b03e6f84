import Ground

// The person's word that the wallet lives in this container from now on.
extension Ownership {
  /// As long as `baton restore` waits: what is refused later is a new question to the person.
  static let moveWordBound = TimeSpan.seconds(10)

  mutating func moveHere(at now: Instant) { movesHereUntil = now + Self.moveWordBound }

  mutating func forgetOldMoveWord(at now: Instant) {
    if let movesHereUntil, now >= movesHereUntil { self.movesHereUntil = nil }
  }
}
