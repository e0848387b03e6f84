import Ground

// The user's request to move the wallet to this container.
extension Ownership {
  /// As long as `baton restore` waits: a later refusal is put to the user again.
  static let moveRequestBound = TimeSpan.seconds(10)

  /// An earlier failure does not answer this request: look again at once.
  mutating func moveHere(at now: Instant) -> [GuardDirective] {
    movesHereUntil = now + Self.moveRequestBound
    guard case .looking(var looking) = state, looking.trouble != nil else { return [] }
    let asks = !looking.isLooking
    looking.trouble = nil
    looking.isLooking = true
    state = .looking(looking)
    return asks ? [.look] : []
  }

  /// After a failure the user is informed and can ask again; a blocked container is only waited for.
  mutating func endMoveRequest(after trouble: Trouble) {
    if case .failed = trouble { movesHereUntil = nil }
  }

  mutating func endOldMoveRequest(at now: Instant) {
    if let movesHereUntil, now >= movesHereUntil { self.movesHereUntil = nil }
  }
}
