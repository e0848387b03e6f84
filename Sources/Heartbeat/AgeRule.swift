import Ground

/// Phoenix's rule: judges a holder by the age of its last stamp. Only with `--takeover wait-stale`.
///
/// Fresh below the limit, stale from the limit on, within one boot. A stamp of another boot is stale. A stamp from the
/// future (a wrong clock) is fresh for at most the limit, counted from when it was first seen; by the stamp alone it
/// would be fresh for as long as the clock is wrong.
public struct AgeRule: Hashable, Codable, Sendable {
  public enum Verdict: Hashable, Codable, Sendable {
    case fresh(remaining: TimeSpan)
    case stale
  }

  private struct Sighting: Hashable, Codable, Sendable {
    var epoch: UInt64
    var counter: UInt64
    var bootClock: Instant
  }

  private let staleAfter: TimeSpan
  private var firstSeen: Sighting?

  public init(timing: HeartbeatTiming) { staleAfter = timing.staleAfter }

  public mutating func judge(
    _ beat: Beat?, ofEpoch epoch: UInt64, boot: BootID, bootClock now: Instant
  ) -> Verdict {
    guard let beat, beat.epoch == epoch, beat.phase != .released, beat.process.boot == boot else {
      return .stale
    }
    if firstSeen?.epoch != beat.epoch || firstSeen?.counter != beat.counter {
      firstSeen = Sighting(epoch: beat.epoch, counter: beat.counter, bootClock: now)
    }
    let seenFor = now - (firstSeen?.bootClock ?? now)
    let age = max(now - beat.bootClock, seenFor)
    if age >= staleAfter { return .stale }
    return .fresh(remaining: TimeSpan(nanoseconds: staleAfter.nanoseconds - max(0, age.nanoseconds)))
  }
}
