import Ground

/// One request to end can come as several signals: GNU `timeout` signals its child and then its whole process group, and a ^C reaches a
/// command both from the terminal and from a command around it. Only a later one is a user in a hurry.
struct RepeatedSignals {
  /// Far below the pause between two presses, and above what a busy machine puts between two signals of one sender.
  static let sameRequest = TimeSpan.milliseconds(250)

  private var last: (interruption: Interruption, at: Instant)?

  /// False: the same again, so soon after the first that it says nothing new.
  mutating func isNew(_ interruption: Interruption, at now: Instant) -> Bool {
    if let last, last.interruption == interruption, now - last.at < Self.sameRequest { return false }
    last = (interruption, now)
    return true
  }
}
