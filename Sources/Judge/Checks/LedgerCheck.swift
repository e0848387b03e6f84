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
