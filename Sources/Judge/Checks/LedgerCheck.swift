// Invariants 2 and 4, in the peer's ledger alone: recorded data loss, the wallet's backups, and frames after the end
// of their connection.
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
    checkOtherNodes()
    checkBackups()
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn {
      guard let connection = ledger.connection(frame.entry.connection),
        frame.entry.atNs > connection.closedNs ?? .max
      else { continue }
      find(
        1, "The peer processed \(frame.name) (frame \(frame.entry.id)) after its connection had ended",
        [frame.entry.evidence, connection.evidence])
    }
  }

  /// Only the first wallet's rows also have the visitors.
  private mutating func checkOtherNodes() {
    let ledger = evidence.ledger
    guard ledger.wallet != 1 else { return }
    for connection in ledger.connections where connection.node != ledger.node || ledger.node == nil {
      find(
        1, "Connection \(connection.id) is in the ledger of a wallet whose node is another",
        [connection.evidence])
    }
  }
}
