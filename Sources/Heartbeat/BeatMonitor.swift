import Ground

/// Decides whether the holder of an epoch still beats, in the observer's own running time.
///
/// Ignores stamps: after the phone slept, the first process to wake would see the other's stamp as old. Instead
/// silence is counted from the observer's own looks, and a pause of the observer restarts the count: it could not have
/// seen a beat meanwhile.
public struct BeatMonitor: Hashable, Codable, Sendable {
  public enum Verdict: Hashable, Codable, Sendable {
    /// Not stale before this instant.
    case beating(atLeastUntil: Instant)
    case stale
  }

  struct Watch: Hashable, Codable, Sendable {
    var epoch: UInt64
    var counter: UInt64?
    var silentSince: Instant
    var lastLook: Instant
  }

  private let timing: HeartbeatTiming
  var watch: Watch?

  public init(timing: HeartbeatTiming) { self.timing = timing }

  /// The next look starts a new count.
  public mutating func reset() { watch = nil }

  /// As if there had been no pause: for a simulation without that rule.
  package mutating func ignorePause(at now: Instant) { watch?.lastLook = now }

  /// Called with every look that finds the holder's lock busy. Beats of other epochs and `released` beats do not
  /// count.
  public mutating func looked(at beat: Beat?, ofEpoch epoch: UInt64, at now: Instant) -> Verdict {
    looked(
      atCounter: beat.flatMap { $0.epoch == epoch && $0.phase != .released ? $0.counter : nil },
      ofEpoch: epoch, at: now)
  }

  /// For a holder of whose beats only the counter is known.
  public mutating func looked(atCounter counter: UInt64?, ofEpoch epoch: UInt64, at now: Instant) -> Verdict {
    guard var current = watch, current.epoch == epoch else {
      watch = Watch(epoch: epoch, counter: counter, silentSince: now, lastLook: now)
      return .beating(atLeastUntil: now + timing.staleAfter)
    }
    let observerWasPaused = now - current.lastLook > timing.interval
    if observerWasPaused { current.silentSince = now }
    if let counter, counter != current.counter {
      current.counter = counter
      current.silentSince = now
    }
    current.lastLook = max(now, current.lastLook)
    watch = current
    if now - current.silentSince >= timing.staleAfter { return .stale }
    return .beating(atLeastUntil: current.silentSince + timing.staleAfter)
  }
}
