import Ground
import Heartbeat

/// How a process decides that the holder is gone.
public enum Takeover: String, Hashable, Codable, Sendable, CaseIterable {
  /// The role lock proves death at once; beats only bound the wait for a frozen holder.
  case lock
  /// Phoenix's rule, for comparison: the age of the last stamp decides, locks are ignored.
  case waitStale = "wait-stale"
}

public enum ClaimDecision: Hashable, Codable, Sendable {
  case claim(seen: Epoch, reason: ClaimReason)
  case wait(for: WaitReason, until: Instant)
}

public enum WaitReason: Hashable, Codable, Sendable {
  /// The holder is alive or may be: no other process dials.
  case holder(ClaimRow)
  /// The node is free, but a live app wants it and may claim first.
  case appGoesFirst
}

/// The table of who may claim when. Keeps only the state needed to judge silence.
public struct ClaimRule: Hashable, Codable, Sendable {
  public static let appHeadStart = TimeSpan.seconds(2)

  private let role: Role
  private let takeover: Takeover
  var monitor: BeatMonitor
  private var ageRule: AgeRule
  var appHeadStartEnds: Instant?

  public init(role: Role, takeover: Takeover, timing: HeartbeatTiming) {
    self.role = role
    self.takeover = takeover
    monitor = BeatMonitor(timing: timing)
    ageRule = AgeRule(timing: timing)
  }

  public mutating func decide(_ seen: Observation, at now: Instant) -> ClaimDecision {
    guard let row = seen.row else {
      return free(seen: 0, reason: .neverClaimed, appWantsNode: seen.appWantsNode, at: now)
    }
    switch takeover {
    case .waitStale: return decideByAge(row, seen, at: now)
    case .lock: return decideByLock(row, seen, at: now)
    }
  }

  private mutating func decideByLock(_ row: ClaimRow, _ seen: Observation, at now: Instant) -> ClaimDecision {
    guard seen.holderLockIsBusy else {
      monitor.reset()
      let reason = Self.release(of: row, seen) ?? .holderDied
      return free(seen: row.epoch, reason: reason, appWantsNode: seen.appWantsNode, at: now)
    }
    appHeadStartEnds = nil
    switch monitor.looked(at: seen.beat, ofEpoch: row.epoch, at: now) {
    case .stale: return .claim(seen: row.epoch, reason: .holderStale)
    case .beating(let until): return .wait(for: .holder(row), until: until)
    }
  }

  /// How the holder ended, if known; only for users.
  private static func release(of row: ClaimRow, _ seen: Observation) -> ClaimReason? {
    if let beat = seen.beat, beat.epoch == row.epoch, beat.phase == .released { return .holderReleased }
    return row.process.boot == seen.boot ? nil : .earlierBoot
  }

  private mutating func decideByAge(_ row: ClaimRow, _ seen: Observation, at now: Instant) -> ClaimDecision {
    let verdict = ageRule.judge(seen.beat, ofEpoch: row.epoch, boot: seen.boot, bootClock: seen.bootClock)
    switch verdict {
    case .stale:
      let reason = Self.release(of: row, seen) ?? .holderStale
      return free(seen: row.epoch, reason: reason, appWantsNode: seen.appWantsNode, at: now)
    case .fresh(let remaining):
      appHeadStartEnds = nil
      return .wait(for: .holder(row), until: now + remaining)
    }
  }

  /// An extension lets an app in the foreground claim first, but only for 2 s: if an app that holds its intent lock
  /// hangs, the payment would otherwise be lost.
  private mutating func free(
    seen: Epoch, reason: ClaimReason, appWantsNode: Bool, at now: Instant
  ) -> ClaimDecision {
    guard role == .extension, appWantsNode else {
      appHeadStartEnds = nil
      return .claim(seen: seen, reason: reason)
    }
    let ends = appHeadStartEnds ?? now + Self.appHeadStart
    appHeadStartEnds = ends
    return now >= ends ? .claim(seen: seen, reason: reason) : .wait(for: .appGoesFirst, until: ends)
  }
}
