import Guardrails
import Heartbeat
import SharedContainer
import WalletStore

/// What is wrong with a container, one sentence each with what it means.
enum ContainerProblems {
  static func find(in snapshot: Snapshot) -> [String] {
    schema(snapshot) + claims(snapshot.claims) + writes(snapshot) + locks(snapshot) + beats(snapshot)
  }

  private static func schema(_ snapshot: Snapshot) -> [String] {
    guard snapshot.schemaVersion > SharedContainer.schemaVersion(nodeSchema: WalletSchema.migrations) else {
      return []
    }
    return [
      "the schema \(snapshot.schemaVersion) is of a newer program, which alone can open it: update this one"
    ]
  }

  private static func claims(_ claims: [ClaimRecord]) -> [String] {
    var problems: [String] = []
    var last: Epoch = 0
    for claim in claims {
      let epoch = claim.row.epoch
      let isRaised = claim.reason == ClaimReason.raised.rawValue
      if claim.seen != last && !isRaised {
        problems.append(
          "epoch \(epoch) was claimed by one who had seen epoch \(claim.seen), and the one before it is \(last): claims are missing, or the database was put together"
        )
      }
      let (next, overflowed) = last.addingReportingOverflow(1)
      if !isRaised && (overflowed || epoch != next) {
        problems.append("epoch \(epoch) follows epoch \(last): epochs grow by one, so claims are missing")
      }
      last = epoch
    }
    return problems
  }

  private static func writes(_ snapshot: Snapshot) -> [String] {
    guard let write = snapshot.writes.last else { return [] }
    guard let claim = snapshot.claims.first(where: { $0.row.epoch == write.epoch }) else {
      return ["the last write \(write.id) is of epoch \(write.epoch), which nobody claimed"]
    }
    guard claim.row.incarnation == write.incarnation else {
      return [
        "the last write \(write.id) carries another incarnation than the claim of its epoch \(write.epoch): two owners shared a number, as after an old copy was put back"
      ]
    }
    return []
  }

  private static func locks(_ snapshot: Snapshot) -> [String] {
    var problems: [String] = []
    for lock in [snapshot.appLock, snapshot.extensionLock, snapshot.appWish] {
      if !lock.exists && snapshot.isLive {
        problems.append(
          "the lock file \(lock.path) is missing while the container is in use: a new one would not be the lock that others hold"
        )
      }
      if lock.holders.count > 1 {
        problems.append(
          "the lock \(lock.path) is held by several: a child kept the descriptor, and its death will not be seen"
        )
      }
    }
    if let writer = snapshot.writer, writer.isStopped {
      problems.append("\(writer): nobody can claim or write until it is continued or killed")
    }
    return problems
  }

  private static func beats(_ snapshot: Snapshot) -> [String] {
    let highest = snapshot.owner?.epoch ?? 0
    return [snapshot.appBeat, snapshot.extensionBeat].compactMap { beat in
      guard let beat, beat.epoch > highest else { return nil }
      return
        "the heartbeat of \(beat.role.processName) carries epoch \(beat.epoch), above the highest claim \(highest): an older copy of the database was put back, or its write-ahead log (-wal) was removed; the peer knows more and will say so"
    }
  }
}
