import Ground
import Guardrails

/// Limits the presence messages that a process handles: a short burst, then a fixed rate. Two healthy processes send
/// far less. Each handled message is an event of the guard and a journal record, so a flood would fill the disk; of
/// excess messages only the newest counts, as each contains the sender's whole state.
struct PresencePace {
  enum Event: Hashable {
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
  /// Messages that were dropped.
  private(set) var skipped: UInt64 = 0

  /// When the next deferred message is due; nil without one.
  var deadline: Instant? {
    guard newest != nil || hasEnded, let lastRefill else { return nil }
    return lastRefill + Self.interval
  }

  /// Returns whether the message is handled now; otherwise it is deferred.
  mutating func arrived(_ event: Event, at now: Instant) -> Bool {
    refill(at: now)
    if left > 0 && deadline == nil {
      left -= 1
      return true
    }
    switch event {
    case .heard(let message):
      if newest != nil { skipped += 1 }
      newest = message
    case .ended:
      if hasEnded { skipped += 1 }
      hasEnded = true
    }
    return false
  }

  /// The deferred message that is due: one at a time, a presence message before an end.
  mutating func due(at now: Instant) -> Event? {
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
