import DaemonRuntime
import Ground
import Guardrails
import Heartbeat
import SharedContainer
import WalletProcess

/// The findings of a container.
extension ContainerFacts {
  package var findings: [Finding] {
    [schemaFinding, holderFinding].compactMap { $0 } + claimFindings
      + [writeFinding, peerFinding].compactMap { $0 } + lockFindings + [writerFinding].compactMap { $0 }
      + beatFindings + files.compactMap(\.finding)
  }

  private var schemaFinding: Finding? {
    let schema = snapshot.schemaVersion
    // Of Baton's own wallet: other wallets' schemas have their own numbers.
    let isOurs = snapshot.tables.contains { $0.name == "channels" }
    guard schema > knownSchema || isOurs && schema < knownSchema else { return nil }
    return Finding(
      .otherSchema, "the container has schema \(schema), this program knows \(knownSchema)",
      remedy:
        "use the version of the program that wrote it; if the number is wrong, \(Self.restoredFromPeer)")
  }

  private var holderFinding: Finding? {
    guard let owner = snapshot.owner else { return nil }
    switch holder {
    case .stopped where holder.isStale:
      return Finding(
        .holderStopped, "\(owner.name) holds the node but is stopped, and others may take it",
        remedy: "`kill -CONT \(owner.process.pid)`, or `baton thaw` on a phone of `baton up`, continues it")
    case .silent:
      return Finding(
        .holderFrozen, "\(owner.name) holds the node but does not beat, and others may take it",
        remedy: "check for a debugger, a slow disk or load; `kill \(owner.process.pid)` ends it")
    case .lockHeldByAnother(let pid):
      return Finding(
        .twoOwners, "\(owner.name) made the last claim, but process \(pid) holds the lock of that role",
        remedy: "if it stays so, end process \(pid), and report how it came about")
    case .beatingWithoutLock:
      return Finding(
        .ownerWithoutLock,
        "\(owner.name) holds the node without its lock: its lock file was removed or replaced",
        remedy: "the next beat locks the file again; if not, quit the process and start it")
    case .withoutLock:
      return Finding(
        .ownerWithoutLock,
        "\(owner.name) holds the node, lives and has the container open, but holds no lock",
        remedy: "quit the process and start it, which claims anew")
    case .gone:
      return Finding(
        .holderDead, "the claim of epoch \(owner.epoch) is stale: \(owner.name) is gone without a release",
        remedy: "open the app, which claims the next epoch")
    default: return nil
    }
  }

  private var claimFindings: [Finding] {
    var found: [Finding] = []
    // The predecessor of the first claim that was read is unknown.
    var last: Epoch? = snapshot.hasOlderClaims ? nil : 0
    for claim in snapshot.claims {
      let epoch = claim.row.epoch
      defer { last = epoch }
      // Raised above the peer's epoch, or moved here: epochs may be left out.
      let isRaised = [.raised, .movedHere].contains(ClaimReason(rawValue: claim.reason))
      guard let last, !isRaised else { continue }
      if claim.seen != last {
        found.append(
          Finding(
            .claimsMissing,
            "the claimant of epoch \(epoch) had seen epoch \(claim.seen), but the claim before it is epoch \(last): claims are missing, or the database was assembled from copies",
            remedy: Self.restored))
      }
      let (next, overflowed) = last.addingReportingOverflow(1)
      if overflowed || epoch != next {
        found.append(
          Finding(
            .claimsMissing,
            "epoch \(epoch) follows epoch \(last): epochs grow by one, so claims are missing",
            remedy: Self.restored))
      }
    }
    return found
  }

  private static let restoredFromPeer =
    "move the container's directory away and keep it, open the app, and run `baton restore`"
  private static let restored =
    "open the app: if the peer knows a newer state, it comes from the peer's backup; keep this copy for a report"

  private var writeFinding: Finding? {
    guard let write = snapshot.writes.last else { return nil }
    guard let claim = snapshot.claims.first(where: { $0.row.epoch == write.epoch })?.row else {
      if snapshot.hasOlderClaims, let first = snapshot.claims.first, write.epoch < first.row.epoch {
        return nil
      }
      return Finding(
        .writeWithoutClaim, "the last write \(write.id) is of epoch \(write.epoch), which no process claimed",
        remedy: Self.restored)
    }
    guard claim.incarnation == write.incarnation else {
      return Finding(
        .epochUsedTwice,
        "the last write \(write.id) carries another incarnation than the claim of its epoch \(write.epoch): two owners used one epoch, as after restoring an old copy",
        remedy: Self.restored)
    }
    return nil
  }

  private var peerFinding: Finding? {
    guard let known = peerEpoch else { return nil }
    let own = snapshot.owner?.epoch ?? 0
    guard known > own else { return nil }
    return Finding(
      .epochBehindPeer, "the peer knows epoch \(known), and the highest claim here is epoch \(own)",
      remedy:
        "put the newer copy back if there is one; otherwise open the app, which raises its epoch and takes the state from the peer's backup"
    )
  }

  private var lockFindings: [Finding] {
    let locks = [snapshot.appLock, snapshot.extensionLock, snapshot.appIntent]
    let twice = locks.filter { $0.holders.count > 1 }.map {
      Finding(
        .lockHeldTwice,
        "the lock \($0.path) is held by several processes: a child inherited the descriptor and hides its parent's death",
        remedy: "end all of them: \($0.holders.map(String.init).joined(separator: ", "))")
    }
    let missing = locks.filter { !$0.exists }
    if !missing.isEmpty && missing.count == locks.count {
      return twice + [
        Finding(
          .lockFileMissing,
          "\(snapshot.directory)/locks is missing or empty, so nothing here shows which process lives",
          remedy: "open the app, which creates them, or copy the whole directory")
      ]
    }
    return twice + missing.map(missingLock)
  }

  private func missingLock(_ lock: LockFacts) -> Finding {
    guard !snapshot.isLive else {
      return Finding(
        .lockFileMissing,
        "the lock file \(lock.path) is missing while the container is in use: a new file would be another lock",
        remedy: "the next beat creates it again, and if not, quit the app and open it")
    }
    return Finding(
      .lockFileMissing, "the lock file \(lock.path) is missing, so nothing here shows which process lives",
      remedy: "open the app, which creates it again", fix: .createLock(path: lock.path))
  }

  private var writerFinding: Finding? {
    guard let writer = snapshot.writer, writer.isStopped else { return nil }
    return Finding(
      .stoppedInTransaction,
      "process \(writer.pid) is stopped inside a transaction: no process can claim or write",
      remedy: "continue it (`kill -CONT \(writer.pid)`) or kill it")
  }
}

/// The heartbeat.
extension ContainerFacts {
  private var beatFindings: [Finding] {
    let highest = snapshot.owner?.epoch ?? 0
    let found = beats.flatMap { beat -> [Finding] in
      if beat.epoch > highest { return [newer(beat, highest)] }
      guard beat.epoch < highest, beat.isAliveHere, !beat.holdsLock, !beat.isReleased,
        let age = beat.age, age < HolderVerdict.staleAfter
      else { return [] }
      return [
        Finding(
          .beatWithoutLock,
          "\(beat.name) beats under epoch \(beat.epoch) without holding its lock, and epoch \(highest) holds the node",
          remedy: "quit that process and start it; its writes are refused until then")
      ]
    }
    // The first holder creates the file with its first beat, before any write; it may have died before that.
    if !snapshot.hasHeartbeat && (highest > 1 || snapshot.writes.last != nil) {
      return [
        Finding(
          .heartbeatMissing,
          "\(snapshot.directory)/heartbeat is missing, so nothing here shows whether a holder beats or has released the node",
          remedy: snapshot.isLive
            ? "the next beat creates it again"
            : "open the app, which creates it again, or copy the whole directory")
      ]
    }
    if snapshot.damagedBeats.isEmpty { return found }
    return found + [
      Finding(
        .heartbeatDamaged,
        "\(snapshot.directory)/heartbeat is damaged: the slot of \(snapshot.damagedBeats.map(\.processName).joined(separator: " and ")) has no valid beat, or the file is truncated",
        remedy: "open the app: the next beat of each process rewrites its slot")
    ]
  }

  private func newer(_ beat: ContainerFacts.BeatMark, _ highest: Epoch) -> Finding {
    Finding(
      .beatAboveClaims,
      "the heartbeat of \(beat.name) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was restored, or its write-ahead log (-wal) was removed",
      remedy: "open the app, which fetches the newer state from the peer's backup")
  }
}

extension FileMark {
  /// What is wrong with a file of a container. Baton's own files must be plain, of this user, and closed to writers: the
  /// code that opens them says so.
  package var finding: Finding? {
    // No process of the wallet opens a name that it does not know, whatever is there.
    if !isKnown {
      let words =
        switch kind {
        case .link: "a symbolic link and "
        case .other: "a pipe or a device and "
        default: ""
        }
      let owner = isOurs ? "" : ", and belongs to another user"
      return Finding(
        .foreignFile, "\(path) is \(words)not a file of Baton\(owner)",
        remedy: "nothing to do if your own code wrote it")
    }
    // A socket is as open as its directory.
    guard isOurs, kind == .plain || kind == .directory, permissions & 0o022 == 0, permissions & 0o077 != 0
    else { return nil }
    return Finding(
      .readableByOthers, "\(path) can be read by others (mode \(String(permissions, radix: 8)))",
      remedy: "run chmod go-rwx on it", fix: .narrow(path: path, mode: permissions & ~0o077))
  }
}

/// What a container shows at one moment, and what its processes and the peer say to it.
package struct ContainerFacts: Sendable {
  package struct BeatMark: Hashable, Sendable {
    /// Its process's program.
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

  package var snapshot: Snapshot
  package var knownSchema: Int64
  package var holder: HolderVerdict
  package var beats: [BeatMark]
  /// The peer's highest epoch, read before the container; nil if unknown.
  package var peerEpoch: Epoch?
  package var files: [FileMark] = []
}

extension ContainerFacts {
  init(_ snapshot: Snapshot, _ verdict: HolderVerdict, _ clock: StampClock) {
    let beats = [snapshot.appBeat, snapshot.extensionBeat].compactMap { $0 }
    self.init(
      snapshot: snapshot, knownSchema: SharedContainer.schemaVersion(nodeSchema: WalletSchema.steps),
      holder: verdict, beats: beats.map { Self.mark($0, snapshot, clock) })
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

extension ClaimRow {
  /// Its program and pid.
  fileprivate var name: String { "\(role.processName) \(process.pid)" }
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

/// A file or directory, as far as a diagnosis needs it.
package struct FileMark: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case plain
    case directory
    case socket
    case link
    /// A pipe or device.
    case other
  }

  package var path: String
  package var kind: Kind
  package var permissions: UInt32
  package var isOurs: Bool
  /// Baton's, by its name.
  package var isKnown: Bool
}

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
