import DaemonRuntime
import Ground
import Guardrails
import Heartbeat
import SharedContainer
import WalletProcess

/// What a container shows at one moment.
package struct ContainerFacts: Hashable, Sendable {
  /// The owner by the highest claim.
  package struct Owner: Hashable, Sendable {
    /// Its program and pid.
    package var name: String
    package var pid: Int32
    package var epoch: Epoch
  }

  package struct ClaimMark: Hashable, Sendable {
    package var epoch: Epoch
    package var incarnation: UInt64
    /// The epoch that the claimant had read; 0 for none.
    package var seen: Epoch
    /// Raised above the peer's epoch, or moved here: epochs may be left out.
    package var isRaised: Bool
  }

  package struct WriteMark: Hashable, Sendable {
    package var id: Int64
    package var epoch: Epoch
    package var incarnation: UInt64
  }

  package struct LockMark: Hashable, Sendable {
    package var path: String
    package var exists: Bool
    package var holders: [Int32] = []
  }

  /// The process inside a transaction.
  package struct WriterMark: Hashable, Sendable {
    package var pid: Int32
    package var isStopped: Bool
  }

  package struct BeatMark: Hashable, Sendable {
    /// Its process's program and pid.
    package var name: String
    package var epoch: Epoch
    package var isReleased: Bool
    /// nil in another boot.
    package var age: TimeSpan?
    /// Its process lives and has this container open.
    package var isAliveHere: Bool
    /// Its process holds the lock of its role.
    package var holdsLock: Bool
  }

  package var directory: String
  package var isInUse = false
  package var schema: Int64 = 1
  package var knownSchema: Int64 = 1
  /// It is of Baton's own wallet: other wallets' schemas have their own numbers.
  package var hasChannelTable = false
  package var holder = HolderVerdict.neverClaimed
  package var owner: Owner?
  /// From the oldest to the newest.
  package var claims: [ClaimMark] = []
  package var hasOlderClaims = false
  package var lastWrite: WriteMark?
  package var locks: [LockMark] = []
  package var writer: WriterMark?
  package var beats: [BeatMark] = []
  /// The programs whose slot has no valid beat.
  package var damagedBeats: [String] = []
  package var hasHeartbeat = true
  /// The peer's highest epoch, read before the container; nil if unknown.
  package var peerEpoch: Epoch?
  package var files: [FileMark] = []
}

extension ContainerFacts {
  init(_ snapshot: Snapshot, _ verdict: HolderVerdict, _ clock: StampClock) {
    self.init(directory: snapshot.directory)
    isInUse = snapshot.isLive
    schema = snapshot.schemaVersion
    knownSchema = SharedContainer.schemaVersion(nodeSchema: WalletSchema.steps)
    hasChannelTable = snapshot.tables.contains { $0.name == "channels" }
    holder = verdict
    owner = snapshot.owner.map {
      Owner(name: "\($0.role.processName) \($0.process.pid)", pid: $0.process.pid, epoch: $0.epoch)
    }
    claims = snapshot.claims.map { claim in
      ClaimMark(
        epoch: claim.row.epoch, incarnation: claim.row.incarnation, seen: claim.seen,
        isRaised: [.raised, .movedHere].contains(ClaimReason(rawValue: claim.reason)))
    }
    hasOlderClaims = snapshot.hasOlderClaims
    lastWrite = snapshot.writes.last.map {
      WriteMark(id: $0.id, epoch: $0.epoch, incarnation: $0.incarnation)
    }
    locks = [snapshot.appLock, snapshot.extensionLock, snapshot.appIntent].map {
      LockMark(path: $0.path, exists: $0.exists, holders: $0.holders)
    }
    writer = snapshot.writer.map { WriterMark(pid: $0.pid, isStopped: $0.isStopped) }
    beats = [snapshot.appBeat, snapshot.extensionBeat].compactMap {
      $0.map { Self.mark($0, snapshot, clock) }
    }
    damagedBeats = snapshot.damagedBeats.map(\.processName)
    hasHeartbeat = snapshot.hasHeartbeat
  }

  private static func mark(_ beat: Beat, _ snapshot: Snapshot, _ clock: StampClock) -> BeatMark {
    let pid = beat.process.pid
    return BeatMark(
      name: beat.role.processName, epoch: beat.epoch, isReleased: beat.phase == .released,
      age: clock.age(of: beat),
      isAliveHere: snapshot.users.contains(pid)
        && ProcessTable.isAlive(beat.process, boot: beat.process.boot),
      holdsLock: snapshot.lock(of: beat.role).holders.contains(pid))
  }
}

extension Finding {
  /// A part of a container that could not be read or used.
  init(_ error: ContainerError) {
    var fix: Fix?
    if case .wrongMode(let path, let mode) = error { fix = .narrow(path: path, mode: mode & ~0o077) }
    self.init(Self.kind(of: error), error.problem, remedy: error.remedy, fix: fix)
  }

  /// An error that is itself the verdict on a container: its database cannot be used. nil for one that only says that
  /// nothing could be read.
  init?(damage error: ContainerError) {
    switch Self.kind(of: error) {
    case .databaseDamaged, .databaseLost, .databaseIncomplete: self.init(error)
    default: return nil
    }
  }

  private static func kind(of error: ContainerError) -> FindingKind {
    switch error {
    case .corrupt, .epochsExhausted: .databaseDamaged
    case .databaseLost: .databaseLost
    case .lacksAPart: .databaseIncomplete
    case .symbolicLink, .wrongOwner: .notOurs
    case .wrongMode: .openToOthers
    case .notAPlainFile, .notADirectory, .isAFile: .notAPlainFile
    case .schemaFromTheFuture: .otherSchema
    default: .unreadable
    }
  }
}
