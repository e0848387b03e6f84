import DaemonRuntime
import Ground
import Guardrails
import Heartbeat
import SharedContainer

/// Who holds the node, as far as a container shows it. For display only: no process decides by it.
package enum HolderVerdict: Hashable, Sendable {
  case neverClaimed
  /// The role lock is held, and the last beat is fresh or of unknown age.
  case beating(Phase, age: TimeSpan?)
  /// The role lock is held, and the last beat is stale.
  case silent(age: TimeSpan)
  /// The role lock is held without a beat of this epoch: claimed an instant ago, or the slot is damaged.
  case noBeat
  /// Stopped by a signal or a debugger; `age` is that of the last beat or the claim.
  case stopped(age: TimeSpan?)
  /// The row's holder lives and beats, but its lock file was removed or replaced.
  case beatingWithoutLock(Phase)
  /// The row's holder lives and has the container open, but holds no lock and has not released the node.
  case withoutLock
  /// The lock is held by another process than the row's.
  case lockHeldByAnother(pid: Int32)
  /// The lock is free, and the last beat says `released`.
  case released
  /// The lock is free without a release.
  case gone
  /// The lock is free, and no beat is left that shows whether the node was released.
  case goneWithoutBeat
  /// The lock is free, but the row's holder lives: it holds the locks of the container of which this is a copy.
  case copied

  package static let staleAfter = HeartbeatTiming.standard.staleAfter

  /// Whether others may claim.
  package var isStale: Bool {
    switch self {
    case .silent: true
    case .stopped(let age): age.map { $0 >= Self.staleAfter } ?? false
    default: false
    }
  }

  package var isHeld: Bool {
    switch self {
    case .neverClaimed, .released, .gone, .goneWithoutBeat, .copied, .withoutLock: false
    case .beating, .silent, .noBeat, .stopped, .beatingWithoutLock, .lockHeldByAnother: true
    }
  }

  /// The verdict's name in JSON.
  package var word: String {
    switch self {
    case .neverClaimed: "never-claimed"
    case .beating: "held"
    case .silent: "held-silent"
    case .noBeat: "held-without-beat"
    case .stopped: "held-stopped"
    case .beatingWithoutLock: "held-without-lock"
    case .withoutLock: "alive-without-lock"
    case .lockHeldByAnother: "lock-held-by-another"
    case .released: "released"
    case .gone: "gone"
    case .goneWithoutBeat: "gone-without-beat"
    case .copied: "copied"
    }
  }
}

/// The holder of a snapshot, and its sentence.
extension HolderVerdict {
  init(_ snapshot: Snapshot, _ clock: StampClock) {
    guard let owner = snapshot.owner else {
      self = .neverClaimed
      return
    }
    let beat = snapshot.beat(of: owner.role).flatMap { $0.epoch == owner.epoch ? $0 : nil }
    let holders = snapshot.lock(of: owner.role).holders
    guard let first = holders.first else {
      self = Self.free(snapshot, owner, beat, clock)
      return
    }
    if !holders.contains(owner.process.pid) {
      self = .lockHeldByAnother(pid: first)
    } else if ProcessTable.isStopped(owner.process.pid) {
      let since = snapshot.claims.last.flatMap { clock.age(of: $0.bootClock, in: owner.process.boot) }
      self = .stopped(age: beat.flatMap { clock.age(of: $0) } ?? since)
    } else if let beat {
      let age = clock.age(of: beat)
      self = age.flatMap { $0 < Self.staleAfter ? nil : .silent(age: $0) } ?? .beating(beat.phase, age: age)
    } else {
      self = .noBeat
    }
  }

  private static func free(
    _ snapshot: Snapshot, _ owner: ClaimRow, _ beat: Beat?, _ clock: StampClock
  ) -> HolderVerdict {
    if let beat, beat.phase == .released { return .released }
    let pid = owner.process.pid
    if snapshot.lock(of: owner.role).strays.contains(pid), let beat, let age = clock.age(of: beat),
      age < staleAfter
    {
      return .beatingWithoutLock(beat.phase)
    }
    // A live holder that has this container open has let go of it; otherwise this is a copy.
    let isHere = snapshot.users.contains(pid)
    if !isHere && ProcessTable.isAlive(owner.process, boot: owner.process.boot) { return .copied }
    if isHere && ProcessTable.isAlive(owner.process, boot: owner.process.boot) { return .withoutLock }
    return snapshot.beat(of: owner.role) == nil ? .goneWithoutBeat : .gone
  }

  package func sentence(_ owner: ClaimRow?, isLive: Bool) -> String {
    guard let owner else { return "free: no process has ever claimed the node" }
    let who = "\(owner.role.processName) \(owner.process.pid)"
    switch self {
    case .neverClaimed: return "free: no process has ever claimed the node"
    case .beating(_, nil): return "held by \(who), alive; the age of its last beat is unknown here"
    case .beating: return "held by \(who), alive, with current beats"
    case .silent(let age):
      return "held by \(who), whose last beat was \(HumanText.span(age)) ago: it may be frozen"
    case .noBeat: return "held by \(who), which has no beat in this epoch yet"
    case .stopped: return "held by \(who), which is stopped (SIGSTOP or a debugger)"
    case .beatingWithoutLock:
      return
        "held by \(who), alive, with current beats; its lock file was removed or replaced: the next beat locks a new one"
    case .withoutLock: return "free: its holder \(who) lives and has the container open, but holds no lock"
    case .lockHeldByAnother(let pid):
      return "between two owners: \(who) made the last claim, but process \(pid) holds the lock of that role"
    case .released: return "free: \(who) released the node"
    case .gone where isLive, .goneWithoutBeat where isLive:
      return "free: its holder \(who) is gone, the lock is free"
    case .gone:
      return
        "free: its holder \(who) is gone without a release (it died, or this is a copy of a container in use)"
    case .goneWithoutBeat:
      return "free: its holder \(who) is gone; no beat of it is left that shows whether it released the node"
    case .copied:
      return
        "free in this copy of a container: its holder \(who) lives, and holds the locks of another container"
    }
  }
}
