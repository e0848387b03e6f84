import Ground
import Guardrails

/// How fast a process listens to presence: a few words at once, then so many a second. Two healthy processes say far less.
/// Each word that is heard is an event of the guard and a record of the journal, so whoever talks on and on would fill the
/// disk; of what comes too fast the newest counts, as each says how things stand at that moment.
struct PresencePace {
  enum News: Hashable {
    case heard(PresenceMessage)
    /// A connection of the other process ended.
    case ended
  }

  static let burst = 32
  static let interval = TimeSpan.milliseconds(50)

  private var left = burst
  private var lastRefill: Instant?
  private var newest: PresenceMessage?
  private var hasEnded = false
  /// What nobody will hear of any more.
  private(set) var skipped: UInt64 = 0

  /// When to ask for what waits; nil while nothing does.
  var deadline: Instant? {
    guard newest != nil || hasEnded, let lastRefill else { return nil }
    return lastRefill + Self.interval
  }

  /// Whether it is heard now; else it waits.
  mutating func arrived(_ news: News, at now: Instant) -> Bool {
    refill(at: now)
    if left > 0 && deadline == nil {
      left -= 1
      return true
    }
    switch news {
    case .heard(let message):
      if newest != nil { skipped += 1 }
      newest = message
    case .ended:
      if hasEnded { skipped += 1 }
      hasEnded = true
    }
    return false
  }

  /// What has waited long enough: one thing at a time, the word before the end.
  mutating func due(at now: Instant) -> News? {
    refill(at: now)
    guard left > 0 else { return nil }
    if let message = newest {
      newest = nil
      left -= 1
      return .heard(message)
    }
    guard hasEnded else { return nil }
    hasEnded = false
    left -= 1
    return .ended
  }

  private mutating func refill(at now: Instant) {
    guard let last = lastRefill else {
      lastRefill = now
      return
    }
    let passed = (now - last).nanoseconds / Self.interval.nanoseconds
    guard passed > 0 else { return }
    left = Int(min(Int64(Self.burst), Int64(left) + passed))
    lastRefill = now
  }
}
