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
        find(4, "Node write \(write.id) has an unknown text in `what`: \"\(write.what)\"", [write.evidence])
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
      find(
        1,
        "Node write \(write.id) was made under epoch \(write.epoch) with an incarnation that never claimed it",
        [write.evidence])
      return
    }
    if let previous, write.epoch < previous.epoch {
      find(
        1,
        "Node write \(write.id) was made under epoch \(write.epoch) after a write under epoch \(previous.epoch)",
        [write.evidence, previous.evidence])
    }
    if let previous, write.atNs < previous.atNs {
      find(
        1, "Node write \(write.id) is stamped \(previous.atNs &- write.atNs) ns before the write ahead of it",
        [write.evidence, previous.evidence])
    }
    checkMoment(of: write, claim, next[write.epoch])
  }

  /// The write lies between its claim and the next one, in a step of its process's journal.
  private mutating func checkMoment(of write: NodeWriteEntry, _ claim: ClaimEntry, _ next: ClaimEntry?) {
    if let moment = moment(of: claim), write.atNs < moment.earliestNs {
      find(
        1, "Node write \(write.id) is older than the claim it was made under",
        [write.evidence, claim.evidence])
    }
    if let next, let latest = moment(of: next)?.latestNs, write.atNs > latest {
      find(
        1,
        "Node write \(write.id) under epoch \(write.epoch) was begun after epoch \(next.epoch) had been claimed: "
          + "two processes used the node", [write.evidence, next.evidence])
    }
  }

  /// A process writes the journal's line first: for its n-th write there are n lines.
  private mutating func checkAnnouncement(of write: NodeWriteEntry, _ counts: inout [String: Int64]) {
    guard let claim = evidence.wallet.claim(write.epoch), let journal = evidence.journal(of: claim) else {
      return
    }
    let count = counts[journal.name, default: 0] + 1
    let isBehindEnd = journal.hasEnded && write.atNs > journal.lastNs &+ stepSlackNs
    guard isBehindEnd || journal.announcedWrites(upTo: write.atNs) < count else {
      counts[journal.name] = count
      return
    }
    if journal.mayLack(write.atNs) { return }
    find(
      4, "Node write \(write.id) is not announced in the journal of its process",
      [write.evidence, "journal \(journal.name)"])
  }
}
