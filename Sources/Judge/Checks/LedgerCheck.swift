// Invariants 2 and 4, in the peer's ledger alone: recorded data loss, and the wallet's backups.
extension Checker {
  mutating func checkLedger() {
    let ledger = evidence.ledger
    if ledger.channels.count != 1 {
      find(4, "The ledger has \(ledger.channels.count) rows of its one channel", ["ledger channel"])
    }
    for loss in ledger.losses {
      find(
        2,
        "On connection \(loss.connection) the state of \(loss.whose == "wallet" ? "the wallet was behind the peer's" : "the peer was behind the wallet's")",
        [loss.evidence])
    }
    checkBackups()
  }
}
