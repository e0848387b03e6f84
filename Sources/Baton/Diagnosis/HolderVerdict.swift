import Ground
import Heartbeat

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
