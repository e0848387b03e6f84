// Invariant 1, in the wallet's database: every write of node state was made under the claim that was valid.
extension Hearing {
  mutating func checkWrites() {
    let writes = evidence.wallet.writes
    var previous: NodeWriteEntry?
    for (index, write) in writes.enumerated() {
      if write.id != Int64(index) + 1 {
        find(4, "Between node writes \(previous?.id ?? 0) and \(write.id) a row is missing", [write.evidence])
      }
      checkOwner(of: write, after: previous)
      if WriteSummary(write.what) == nil {
        find(4, "Node write \(write.id) says \"\(write.what)\", which no write does", [write.evidence])
      }
      previous = write
    }
    checkHighest("node_writes", writes.last?.id, evidence.wallet.highestNumbers, "node.sqlite")
    checkHighest(
      "received_payments", evidence.wallet.received.last?.id, evidence.wallet.highestNumbers, "node.sqlite")
    checkHighest(
      "outgoing_payments", evidence.wallet.sent.last?.id, evidence.wallet.highestNumbers, "node.sqlite")
    checkHighest("splices", evidence.wallet.splices.last?.id, evidence.wallet.highestNumbers, "node.sqlite")
    for entry in evidence.wallet.highestNumbers.keys.sorted()
    where !["node_writes", "received_payments", "outgoing_payments", "splices"].contains(entry) {
      find(4, "SQLite counts rows of a table \(entry) that is not numbered", ["node.sqlite sqlite_sequence"])
    }
  }

  private mutating func checkOwner(of write: NodeWriteEntry, after previous: NodeWriteEntry?) {
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
        "Node write \(write.id) was made under epoch \(write.epoch) after epoch \(previous.epoch) had written",
        [write.evidence, previous.evidence])
    }
    if let previous, write.atNs < previous.atNs {
      find(
        1, "Node write \(write.id) is stamped \(previous.atNs &- write.atNs) ns before the write ahead of it",
        [write.evidence, previous.evidence])
    }
    checkMoment(of: write, claim)
  }

  /// Between its own claim and the next, and in a step that its process's journal announces.
  private mutating func checkMoment(of write: NodeWriteEntry, _ claim: ClaimEntry) {
    guard let journal = journal(of: claim) else { return }
    if let moment = moment(of: claim, in: journal), write.atNs < moment.earliestNs {
      find(
        1, "Node write \(write.id) is older than the claim it was made under",
        [write.evidence, claim.evidence])
    }
    let next = evidence.wallet.claims.first { $0.epoch > write.epoch }
    if let next, let theirs = self.journal(of: next), let moment = moment(of: next, in: theirs),
      let latest = moment.latestNs, write.atNs > latest
    {
      find(
        1,
        "Node write \(write.id) under epoch \(write.epoch) was begun after epoch \(next.epoch) had been claimed: "
          + "two processes drove the node", [write.evidence, next.evidence])
    }
    let isAnnounced = journal.events(of: "node").contains { record in
      record.atNs <= write.atNs && isNear(record.atNs, write.atNs, withinNs: stepSlackNs)
        && record.directives.contains { $0["write"] != nil }
    }
    if !isAnnounced {
      find(
        4, "Node write \(write.id) is not announced in the journal of its process",
        [write.evidence, "journal \(journal.name)"])
    }
  }

  /// A row that was given a number and is gone was deleted: nobody deletes rows here.
  mutating func checkHighest(
    _ table: String, _ last: Int64?, _ numbers: [String: Int64], _ database: String
  ) {
    let highest = numbers[table] ?? 0
    guard last ?? 0 != highest else { return }
    find(
      4, "\(table) ends at row \(last ?? 0), and SQLite gave numbers up to \(highest)",
      ["\(database) sqlite_sequence \(table)"])
  }
}
