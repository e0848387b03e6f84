import Ground

/// Says whether the holder of an epoch still beats, judged by the observer's own running time.
///
/// No stamp is read: whoever wakes first after the phone slept would see its sleeping partner's stamp as old.
/// Instead the window of silence is counted from what the observer itself has seen, and a pause of the observer
/// starts it anew: during the pause it could not have seen a beat.
public struct BeatMonitor: Hashable, Codable, Sendable {
  public enum Verdict: Hashable, Codable, Sendable {
    /// Not stale before this instant, whatever comes.
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

  /// Forgets what it saw: the next look starts a new window.
  public mutating func reset() { watch = nil }

  /// As if it had looked all the time: for a simulation without that rule.
  package mutating func ignorePause(at now: Instant) { watch?.lastLook = now }

  /// To be called with every look that finds the holder's lock busy. Beats of other epochs and `released` beats
  /// are no sign of life of this holder.
  public mutating func looked(at beat: Beat?, ofEpoch epoch: UInt64, at now: Instant) -> Verdict {
    let counter = beat.flatMap { $0.epoch == epoch && $0.phase != .released ? $0.counter : nil }
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
