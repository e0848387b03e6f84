import Ground
import Guardrails
import SharedContainer
import WalletStore

/// What is wrong with a container, one sentence each with what it means and what to do.
struct ContainerProblems {
  let snapshot: Snapshot
  let verdict: HolderVerdict

  var all: [String] { schema + holder + claims + writes + locks + writer + beats }

  private var schema: [String] {
    guard snapshot.schemaVersion > SharedContainer.schemaVersion(nodeSchema: WalletSchema.migrations) else {
      return []
    }
    return [
      "the schema \(snapshot.schemaVersion) is of a newer program, which alone can open it: update this one"
    ]
  }

  /// Held, and nobody is served by it.
  private var holder: [String] {
    guard verdict.isStale, let owner = snapshot.owner else { return [] }
    let who = "\(owner.role.processName) \(owner.process.pid)"
    let pid = owner.process.pid
    if case .stopped = verdict {
      return [
        "\(who) holds the node and is stopped, and others may take it: `kill -CONT \(pid)` lets it go on, or leave the debugger"
      ]
    }
    return [
      "\(who) holds the node and is not heard, and others may take it: look what keeps it, such as a debugger, its disk or the load; `kill \(pid)` ends it"
    ]
  }

  private var claims: [String] {
    var problems: [String] = []
    // What was before the first that was read is not known.
    var last: Epoch? = snapshot.hasOlderClaims ? nil : 0
    for claim in snapshot.claims {
      defer { last = claim.row.epoch }
      guard let last else { continue }
      let epoch = claim.row.epoch
      let isRaised = [.raised, .movedHere].contains(ClaimReason(stored: claim.reason))
      if claim.seen != last && !isRaised {
        problems.append(
          "epoch \(epoch) was claimed by one who had seen epoch \(claim.seen), and the one before it is \(last): claims are missing, or the database was put together"
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
        "the last write \(write.id) carries another incarnation than the claim of its epoch \(write.epoch): two owners shared a number, as after an old copy was put back"
      ]
    }
    return []
  }

  private var locks: [String] {
    let all = [snapshot.appLock, snapshot.extensionLock, snapshot.appIntent]
    let twice = all.filter { $0.holders.count > 1 }.map {
      "the lock \($0.path) is held by several: a child kept the descriptor, and its death will not be seen; end all of them"
    }
    let missing = all.filter { !$0.exists }
    if missing.count == all.count {
      return twice + [
        "\(snapshot.directory)/locks is missing or empty, so nothing here proves who lives: open the app, which makes it anew, or copy the whole directory"
      ]
    }
    return twice
      + missing.map {
        snapshot.isLive
          ? "the lock file \($0.path) is missing while the container is in use: a new one would not be the lock that others hold; the next beat makes it anew, and if not, quit the app and open it"
          : "the lock file \($0.path) is missing, so nothing here proves who lives: open the app, which makes it anew"
      }
  }

  private var writer: [String] {
    guard let writer = snapshot.writer, writer.isStopped else { return [] }
    return [
      "\(writer): no process can claim or write until it goes on (`kill -CONT \(writer.pid)`) or is killed"
    ]
  }

  private var beats: [String] {
    let highest = snapshot.owner?.epoch ?? 0
    let newer = [snapshot.appBeat, snapshot.extensionBeat].compactMap { beat -> String? in
      guard let beat, beat.epoch > highest else { return nil }
      return
        "the heartbeat of \(beat.role.processName) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was put back, or its write-ahead log (-wal) was removed; open the app, which gets the newer state from the peer's backup"
    }
    // The first holder makes it with its first beat, before it writes anything; it may have died before that.
    if !snapshot.hasHeartbeat && (highest > 1 || snapshot.writes.last != nil) {
      let remedy =
        snapshot.isLive
        ? "the next beat makes it anew" : "open the app, which makes it anew, or copy the whole directory"
      return [
        "\(snapshot.directory)/heartbeat is missing, so nothing here tells whether a holder beats, or has released the node: \(remedy)"
      ]
    }
    if snapshot.damagedBeats.isEmpty { return newer }
    let roles = snapshot.damagedBeats.map(\.processName).joined(separator: " and ")
    return newer + [
      "\(snapshot.directory)/heartbeat is damaged: where \(roles) beats is something that is no beat, or the file was cut short; the next beat of each writes its own anew, so open the app"
    ]
  }
}
