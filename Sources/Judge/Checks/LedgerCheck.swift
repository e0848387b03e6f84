// Invariants 2 and 4, in the peer's ledger alone: recorded data loss, and the wallet's backups.
extension Checker {
  mutating func checkLedger() {
    let ledger = evidence.ledger
    if ledger.channels.count != 1 {
      find(.channelRows, ledger.channels.count, at: [.ledger("channel")])
    }
    for loss in ledger.losses {
      find(
        .stateLost, loss.connection,
        loss.whose == "wallet" ? "the wallet was behind the peer's" : "the peer was behind the wallet's",
        at: [loss.row])
    }
    checkBackups()
  }
}

// Invariant 4: the peer stores the wallet's backups, in order; nothing else is left when the wallet's database is lost.
extension Checker {
  mutating func checkBackups() {
    let kept = evidence.ledger.backups
    var next = 0
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn {
      guard case .storage(let hash)? = frame.message else { continue }
      if next < kept.count, kept[next].has(hash: hash) {
        next += 1
      } else if evidence.ledger.run(at: frame.entry.atNs)?.storageDelayNs ?? 0 == 0 {
        return find(.backupsDiffer, at: [.ledger("backups")])
      }
    }
    guard next == kept.count else {
      return find(.backupsDiffer, at: [kept[next].row])
    }
    if let newest = kept.last, newest.isOnlyHash {
      find(.backupOnlyHash, at: [newest.row])
    }
  }
}
