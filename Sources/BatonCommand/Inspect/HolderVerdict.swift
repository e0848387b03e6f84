import CoreShape
import DaemonRuntime
import Guardrails
import Heartbeat
import SharedContainer

/// Who holds the node, as far as a container shows it. It explains to people; it decides nothing.
enum HolderVerdict: Hashable, Sendable {
  case neverClaimed
  /// The role lock is held, and the last beat is young.
  case beating(Phase, age: Span)
  /// The role lock is held, and nothing was heard for longer than the rule allows.
  case silent(age: Span)
  /// The role lock is held, and there is no beat of this epoch: it was claimed an instant ago, or the slot is damaged.
  case noBeat
  /// Stopped by a signal or a debugger.
  case stopped
  /// The row's holder lives and beats, and its lock file is not the one that it holds any more.
  case beatingWithoutLock(Phase)
  /// The lock is held by a process that is not the one of the row.
  case lockHeldByAnother(pid: Int32)
  /// The lock is free, and the last beat says `released`.
  case released
  /// The lock is free without a release.
  case gone

  init(_ snapshot: Snapshot, bootClock: Instant, staleAfter: Span = HeartbeatTiming.standard.staleAfter) {
    guard let owner = snapshot.owner else {
      self = .neverClaimed
      return
    }
    let beat = snapshot.beat(of: owner.role).flatMap { $0.epoch == owner.epoch ? $0 : nil }
    let holders = snapshot.lock(of: owner.role).holders
    guard let first = holders.first else {
      if beat?.phase == .released {
        self = .released
      } else if snapshot.lock(of: owner.role).strays.contains(owner.process.pid), let beat,
        bootClock - beat.bootClock < staleAfter
      {
        self = .beatingWithoutLock(beat.phase)
      } else {
        self = .gone
      }
      return
    }
    if !holders.contains(owner.process.pid) {
      self = .lockHeldByAnother(pid: first)
    } else if ProcessTable.isStopped(owner.process.pid) {
      self = .stopped
    } else if let beat {
      let age = max(.zero, bootClock - beat.bootClock)
      self = age < staleAfter ? .beating(beat.phase, age: age) : .silent(age: age)
    } else {
      self = .noBeat
    }
  }

  var isHeld: Bool {
    switch self {
    case .neverClaimed, .released, .gone: false
    case .beating, .silent, .noBeat, .stopped, .beatingWithoutLock, .lockHeldByAnother: true
    }
  }

  /// One word for programs.
  var word: String {
    switch self {
    case .neverClaimed: "never-claimed"
    case .beating: "held"
    case .silent: "held-silent"
    case .noBeat: "held-without-beat"
    case .stopped: "held-stopped"
    case .beatingWithoutLock: "held-without-lock"
    case .lockHeldByAnother: "lock-held-by-another"
    case .released: "released"
    case .gone: "gone"
    }
  }

  func sentence(_ owner: ClaimRow?, isLive: Bool) -> String {
    guard let owner else { return "free: nobody has ever claimed the node" }
    let who = "\(owner.role.processName) \(owner.process.pid)"
    switch self {
    case .neverClaimed: return "free: nobody has ever claimed the node"
    case .beating: return "held by \(who), alive and beating"
    case .silent(let age):
      return "held by \(who), which was last heard \(HumanText.span(age)) ago: it may be frozen"
    case .noBeat: return "held by \(who), which has not beaten in this epoch yet"
    case .stopped: return "held by \(who), which is stopped (SIGSTOP or a debugger)"
    case .beatingWithoutLock:
      return
        "held by \(who), alive and beating; its lock file was removed or replaced, and is taken anew with the next beat"
    case .lockHeldByAnother(let pid):
      return "between two owners: the row names \(who), and its role lock is held by \(pid)"
    case .released: return "free: \(who) released it in good order"
    case .gone where isLive: return "free: its holder \(who) is gone, the lock is free"
    case .gone:
      return
        "free: its holder \(who) is gone without a release (it died, or this is a copy of a container in use)"
    }
  }
}
