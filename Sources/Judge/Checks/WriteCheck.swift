// Invariant 1, in the wallet's database: every write of node state was made under the claim in force.
extension Checker {
  mutating func checkWrites() {
    let writes = evidence.wallet.writes
    var previous: NodeWriteEntry?
    let next = nextClaims()
    var counts: [String: Int64] = [:]
    for write in writes {
      checkOwner(of: write, after: previous, next)
      checkAnnouncement(of: write, &counts)
      if write.summary == nil {
        find(.writeUnknown, write.id, write.what, at: [write.row])
      }
      previous = write
    }
    checkNumbers("node_writes", writes.map(\.id))
  }

  /// The next claim, by epoch.
  private func nextClaims() -> [Int64: ClaimEntry] {
    var next: [Int64: ClaimEntry] = [:]
    var previous: ClaimEntry?
    for claim in evidence.wallet.claims {
      if let previous { next[previous.epoch] = claim }
      previous = claim
    }
    return next
  }

  private mutating func checkOwner(
    of write: NodeWriteEntry, after previous: NodeWriteEntry?, _ next: [Int64: ClaimEntry]
  ) {
    guard let claim = evidence.wallet.claim(write.epoch), claim.incarnation == write.incarnation else {
      find(.writeUnclaimed, write.id, write.epoch, at: [write.row])
      return
    }
    if let previous, write.epoch < previous.epoch {
      find(.writeOfOlderEpoch, write.id, write.epoch, previous.epoch, at: [write.row, previous.row])
    }
    if let previous, write.atMonoNs < previous.atMonoNs {
      find(
        .writeStampedEarlier, write.id, previous.atMonoNs &- write.atMonoNs, at: [write.row, previous.row])
    }
    checkMoment(of: write, claim, next[write.epoch])
  }

  /// The write lies between its claim and the next one, in a step of its process's journal.
  private mutating func checkMoment(of write: NodeWriteEntry, _ claim: ClaimEntry, _ next: ClaimEntry?) {
    if let moment = moment(of: claim), write.atMonoNs < moment.earliestNs {
      find(.writeBeforeClaim, write.id, at: [write.row, claim.row])
    }
    if let next, let latest = moment(of: next)?.latestNs, write.atMonoNs > latest {
      find(.writeAfterNextClaim, write.id, write.epoch, next.epoch, at: [write.row, next.row])
    }
  }

  /// A process writes the journal's line first: for its n-th write there are n lines.
  private mutating func checkAnnouncement(of write: NodeWriteEntry, _ counts: inout [String: Int64]) {
    guard let claim = evidence.wallet.claim(write.epoch), let journal = evidence.journal(of: claim) else {
      return
    }
    let count = counts[journal.name, default: 0] + 1
    let isBehindEnd = journal.hasEnded && write.atMonoNs > journal.lastNs &+ stepSlackNs
    guard isBehindEnd || journal.announcedWrites(upTo: write.atMonoNs) < count else {
      counts[journal.name] = count
      return
    }
    if journal.mayLack(write.atMonoNs) { return }
    find(.writeUnannounced, write.id, at: [write.row, .journal(journal.name)])
  }
}
