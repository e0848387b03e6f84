import Ground

/// Detects repeated signals of one request to end: GNU `timeout` signals its child and then its process group, and a ^C
/// comes from the terminal and from a wrapping command. Only a later signal is a second request.
struct RepeatedSignals {
  /// Far below the pause between two key presses, and above the delay between two signals of one request.
  static let sameRequest = TimeSpan.milliseconds(250)

  private var last: (interruption: Interruption, at: Instant)?

  /// False for the same signal within `sameRequest`.
  mutating func isNew(_ interruption: Interruption, at now: Instant) -> Bool {
    if let last, last.interruption == interruption, now - last.at < Self.sameRequest { return false }
    last = (interruption, now)
    return true
  }
}
