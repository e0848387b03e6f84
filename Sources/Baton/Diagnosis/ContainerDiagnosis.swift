import Ground

/// The findings of a container.
package struct ContainerDiagnosis: Sendable {
  let facts: ContainerFacts

  package init(_ facts: ContainerFacts) { self.facts = facts }

  package var findings: [Finding] {
    schema + holder + claims + writes + peer + locks + writer + beats + files
  }

  private var schema: [Finding] {
    guard facts.schema > facts.knownSchema || facts.hasChannelTable && facts.schema < facts.knownSchema
    else { return [] }
    return [
      Finding(
        .otherSchema, "the container has schema \(facts.schema), this program knows \(facts.knownSchema)",
        remedy:
          "use the version of the program that wrote it; if the number is wrong, \(Self.restoredFromPeer)")
    ]
  }

  private var holder: [Finding] {
    guard let owner = facts.owner else { return [] }
    switch facts.holder {
    case .stopped where facts.holder.isStale:
      return [
        Finding(
          .holderStopped, "\(owner.name) holds the node but is stopped, and others may take it",
          remedy: "`kill -CONT \(owner.pid)`, or `baton thaw` on a phone of `baton up`, continues it")
      ]
    case .silent:
      return [
        Finding(
          .holderFrozen, "\(owner.name) holds the node but does not beat, and others may take it",
          remedy: "check for a debugger, a slow disk or load; `kill \(owner.pid)` ends it")
      ]
    case .lockHeldByAnother(let pid):
      return [
        Finding(
          .twoOwners,
          "\(owner.name) made the last claim, but process \(pid) holds the lock of that role",
          remedy: "if it stays so, end process \(pid), and report how it came about")
      ]
    case .beatingWithoutLock:
      return [
        Finding(
          .ownerWithoutLock,
          "\(owner.name) holds the node without its lock: its lock file was removed or replaced",
          remedy: "the next beat locks the file again; if not, quit the process and start it")
      ]
    case .withoutLock:
      return [
        Finding(
          .ownerWithoutLock,
          "\(owner.name) holds the node, lives and has the container open, but holds no lock",
          remedy: "quit the process and start it, which claims anew")
      ]
    case .gone:
      return [
        Finding(
          .holderDead, "the claim of epoch \(owner.epoch) is stale: \(owner.name) is gone without a release",
          remedy: "open the app, which claims the next epoch")
      ]
    default: return []
    }
  }

  private var claims: [Finding] {
    var found: [Finding] = []
    // The predecessor of the first claim that was read is unknown.
    var last: Epoch? = facts.hasOlderClaims ? nil : 0
    for claim in facts.claims {
      defer { last = claim.epoch }
      guard let last, !claim.isRaised else { continue }
      if claim.seen != last {
        found.append(
          Finding(
            .claimsMissing,
            "the claimant of epoch \(claim.epoch) had seen epoch \(claim.seen), but the claim before it is epoch \(last): claims are missing, or the database was assembled from copies",
            remedy: Self.restored))
      }
      let (next, overflowed) = last.addingReportingOverflow(1)
      if overflowed || claim.epoch != next {
        found.append(
          Finding(
            .claimsMissing,
            "epoch \(claim.epoch) follows epoch \(last): epochs grow by one, so claims are missing",
            remedy: Self.restored))
      }
    }
    return found
  }

  private static let restoredFromPeer =
    "move the container's directory away and keep it, open the app, and run `baton restore`"
  private static let restored =
    "open the app: if the peer knows a newer state, it comes from the peer's backup; keep this copy for a report"

  private var writes: [Finding] {
    guard let write = facts.lastWrite else { return [] }
    guard let claim = facts.claims.first(where: { $0.epoch == write.epoch }) else {
      if facts.hasOlderClaims, let first = facts.claims.first, write.epoch < first.epoch { return [] }
      return [
        Finding(
          .writeWithoutClaim,
          "the last write \(write.id) is of epoch \(write.epoch), which no process claimed",
          remedy: Self.restored)
      ]
    }
    guard claim.incarnation == write.incarnation else {
      return [
        Finding(
          .epochUsedTwice,
          "the last write \(write.id) carries another incarnation than the claim of its epoch \(write.epoch): two owners used one epoch, as after restoring an old copy",
          remedy: Self.restored)
      ]
    }
    return []
  }

  private var peer: [Finding] {
    guard let known = facts.peerEpoch else { return [] }
    let own = facts.owner?.epoch ?? 0
    guard known > own else { return [] }
    return [
      Finding(
        .epochBehindPeer, "the peer knows epoch \(known), and the highest claim here is epoch \(own)",
        remedy:
          "put the newer copy back if there is one; otherwise open the app, which raises its epoch and takes the state from the peer's backup"
      )
    ]
  }

  private var locks: [Finding] {
    let twice = facts.locks.filter { $0.holders.count > 1 }.map {
      Finding(
        .lockHeldTwice,
        "the lock \($0.path) is held by several processes: a child inherited the descriptor and hides its parent's death",
        remedy: "end all of them: \($0.holders.map(String.init).joined(separator: ", "))")
    }
    let missing = facts.locks.filter { !$0.exists }
    if !missing.isEmpty && missing.count == facts.locks.count {
      return twice + [
        Finding(
          .lockFileMissing,
          "\(facts.directory)/locks is missing or empty, so nothing here shows which process lives",
          remedy: "open the app, which creates them, or copy the whole directory")
      ]
    }
    return twice + missing.map(missingLock)
  }

  private func missingLock(_ lock: ContainerFacts.LockMark) -> Finding {
    guard !facts.isInUse else {
      return Finding(
        .lockFileMissing,
        "the lock file \(lock.path) is missing while the container is in use: a new file would be another lock",
        remedy: "the next beat creates it again, and if not, quit the app and open it")
    }
    return Finding(
      .lockFileMissing,
      "the lock file \(lock.path) is missing, so nothing here shows which process lives",
      remedy: "open the app, which creates it again", fix: .createLock(path: lock.path))
  }

  private var writer: [Finding] {
    guard let writer = facts.writer, writer.isStopped else { return [] }
    return [
      Finding(
        .stoppedInTransaction,
        "process \(writer.pid) is stopped inside a transaction: no process can claim or write",
        remedy: "continue it (`kill -CONT \(writer.pid)`) or kill it")
    ]
  }
}

/// Heartbeat, rights and names.
extension ContainerDiagnosis {
  var beats: [Finding] {
    let highest = facts.owner?.epoch ?? 0
    let found = facts.beats.flatMap { beat -> [Finding] in
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
    if !facts.hasHeartbeat && (highest > 1 || facts.lastWrite != nil) {
      return [
        Finding(
          .heartbeatMissing,
          "\(facts.directory)/heartbeat is missing, so nothing here shows whether a holder beats or has released the node",
          remedy: facts.isInUse
            ? "the next beat creates it again"
            : "open the app, which creates it again, or copy the whole directory")
      ]
    }
    if facts.damagedBeats.isEmpty { return found }
    return found + [
      Finding(
        .heartbeatDamaged,
        "\(facts.directory)/heartbeat is damaged: the slot of \(facts.damagedBeats.joined(separator: " and ")) has no valid beat, or the file is truncated",
        remedy: "open the app: the next beat of each process rewrites its slot")
    ]
  }

  private func newer(_ beat: ContainerFacts.BeatMark, _ highest: Epoch) -> Finding {
    Finding(
      .beatAboveClaims,
      "the heartbeat of \(beat.name) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was restored, or its write-ahead log (-wal) was removed",
      remedy: "open the app, which fetches the newer state from the peer's backup")
  }

  var files: [Finding] { facts.files.compactMap(\.finding) }
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
    else {
      return nil
    }
    return Finding(
      .readableByOthers, "\(path) can be read by others (mode \(String(permissions, radix: 8)))",
      remedy: "run chmod go-rwx on it", fix: .narrow(path: path, mode: permissions & ~0o077))
  }
}
