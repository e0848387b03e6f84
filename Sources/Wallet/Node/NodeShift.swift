import Ground

// The node with all instants shifted, and without those that are too old to matter.
extension NodeMachine: Shiftable {
  public mutating func shift(by span: TimeSpan) {
    switch state {
    case .preparing(let until): state = .preparing(until: until.shifted(by: span))
    case .pausing(let until): state = .pausing(until: until.shifted(by: span))
    case .dialling(let giveUpAt): state = .dialling(giveUpAt: giveUpAt.shifted(by: span))
    case .exchangingInit(let heard, let giveUpAt):
      state = .exchangingInit(heard, giveUpAt: giveUpAt.shifted(by: span))
    case .readingAgain(let heard, let at): state = .readingAgain(heard, at: at.shifted(by: span))
    case .awaitingBackup(let heard, let giveUpAt):
      state = .awaitingBackup(heard, giveUpAt: giveUpAt.shifted(by: span))
    case .draining(let giveUpAt): state = .draining(giveUpAt: giveUpAt.shifted(by: span))
    case .stopped, .offline, .checkingRow, .reading, .adopting, .established, .mute, .failed: break
    }
    step?.retryAt.shift(by: span)
    connection.shift(by: span)
    wantedPayments.shift(by: span)
    wantedWebhooks.shift(by: span)
    wantedSplice?.shift(by: span)
    unanswered.shift(by: span)
    for index in partials.indices { partials[index].shift(by: span) }
  }

  /// Moves instants that are too old to matter forward, so that equivalent states are equal.
  public mutating func forgetLongAgo(at now: Instant) {
    connection.forgetLongAgo(at: now)
    pace.forgetLongAgo()
  }
}
