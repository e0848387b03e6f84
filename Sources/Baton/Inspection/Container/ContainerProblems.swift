import Ground
import Guardrails
import SharedContainer
import WalletStore

/// The problems of a container, each as a sentence with its meaning and a remedy.
struct ContainerProblems {
  let snapshot: Snapshot
  let verdict: HolderVerdict

  var all: [String] { schema + holder + claims + writes + locks + writer + beats }

  private var schema: [String] {
    guard snapshot.schemaVersion > SharedContainer.schemaVersion(nodeSchema: WalletSchema.migrations) else {
      return []
    }
    return [
      "the schema \(snapshot.schemaVersion) is newer than this program; update it"
    ]
  }

  /// The holder is stopped or silent: other processes may take the node.
  private var holder: [String] {
    guard verdict.isStale, let owner = snapshot.owner else { return [] }
    let who = "\(owner.role.processName) \(owner.process.pid)"
    let pid = owner.process.pid
    if case .stopped = verdict {
      return [
        "\(who) holds the node but is stopped, and others may take it: `kill -CONT \(pid)` continues it, or leave the debugger"
      ]
    }
    return [
      "\(who) holds the node but does not beat, and others may take it: check for a debugger, a slow disk or load; `kill \(pid)` ends it"
    ]
  }

  private var claims: [String] {
    var problems: [String] = []
    // The predecessor of the first claim that was read is unknown.
    var last: Epoch? = snapshot.hasOlderClaims ? nil : 0
    for claim in snapshot.claims {
      defer { last = claim.row.epoch }
      guard let last else { continue }
      let epoch = claim.row.epoch
      let isRaised = [.raised, .movedHere].contains(ClaimReason(stored: claim.reason))
      if claim.seen != last && !isRaised {
        problems.append(
          "the claimant of epoch \(epoch) had seen epoch \(claim.seen), but the claim before it is epoch \(last): claims are missing, or the database was assembled from copies"
        )
      }
      let (next, overflowed) = last.addingReportingOverflow(1)
      if !isRaised && (overflowed || epoch != next) {
        problems.append("epoch \(epoch) follows epoch \(last): epochs grow by one, so claims are missing")
      }
    }
    return problems
  }

  private var writes: [String] {
    guard let write = snapshot.writes.last else { return [] }
    guard let claim = snapshot.claims.first(where: { $0.row.epoch == write.epoch }) else {
      if snapshot.hasOlderClaims, let first = snapshot.claims.first, write.epoch < first.row.epoch {
        return []
      }
      return ["the last write \(write.id) is of epoch \(write.epoch), which no process claimed"]
    }
    guard claim.row.incarnation == write.incarnation else {
      return [
        "the last write \(write.id) carries another incarnation than the claim of its epoch \(write.epoch): two owners used one epoch, as after restoring an old copy"
      ]
    }
    return []
  }

  private var locks: [String] {
    let all = [snapshot.appLock, snapshot.extensionLock, snapshot.appIntent]
    let twice = all.filter { $0.holders.count > 1 }.map {
      "the lock \($0.path) is held by several processes: a child inherited the descriptor and hides its parent's death; end all of them"
    }
    let missing = all.filter { !$0.exists }
    if missing.count == all.count {
      return twice + [
        "\(snapshot.directory)/locks is missing or empty, so nothing here shows which process lives: open the app, which creates them, or copy the whole directory"
      ]
    }
    return twice
      + missing.map {
        snapshot.isLive
          ? "the lock file \($0.path) is missing while the container is in use: a new file would be another lock; the next beat creates it again, and if not, quit the app and open it"
          : "the lock file \($0.path) is missing, so nothing here shows which process lives: open the app, which creates it again"
      }
  }

  private var writer: [String] {
    guard let writer = snapshot.writer, writer.isStopped else { return [] }
    return [
      "\(writer): no process can claim or write until process \(writer.pid) is continued (`kill -CONT \(writer.pid)`) or killed"
    ]
  }

  private var beats: [String] {
    let highest = snapshot.owner?.epoch ?? 0
    let newer = [snapshot.appBeat, snapshot.extensionBeat].compactMap { beat -> String? in
      guard let beat, beat.epoch > highest else { return nil }
      return
        "the heartbeat of \(beat.role.processName) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was restored, or its write-ahead log (-wal) was removed; open the app, which fetches the newer state from the peer's backup"
    }
    // The first holder creates the file with its first beat, before any write; it may have died before that.
    if !snapshot.hasHeartbeat && (highest > 1 || snapshot.writes.last != nil) {
      let remedy =
        snapshot.isLive
        ? "the next beat creates it again"
        : "open the app, which creates it again, or copy the whole directory"
      return [
        "\(snapshot.directory)/heartbeat is missing, so nothing here shows whether a holder beats or has released the node: \(remedy)"
      ]
    }
    if snapshot.damagedBeats.isEmpty { return newer }
    let roles = snapshot.damagedBeats.map(\.processName).joined(separator: " and ")
    return newer + [
      "\(snapshot.directory)/heartbeat is damaged: the slot of \(roles) has no valid beat, or the file is truncated; open the app: the next beat of each process rewrites its slot"
    ]
  }
}
