import Ground

/// When the holder's next beat is due, and its number.
public struct BeatSchedule: Hashable, Codable, Sendable {
  public internal(set) var counter: UInt64 = 0
  public internal(set) var nextBeat: Instant
  private let interval: TimeSpan

  /// The first beat is due at once: beats start at the claim, not when the peer is connected.
  public init(timing: HeartbeatTiming, claimedAt now: Instant) {
    interval = timing.interval
    nextBeat = now
  }

  public mutating func postpone(until instant: Instant) { nextBeat = instant }

  /// The next beat is due one interval after this one: beats missed during a pause are not repeated.
  public mutating func beat(at now: Instant) -> UInt64 {
    counter &+= 1
    nextBeat = now + interval
    return counter
  }
}
