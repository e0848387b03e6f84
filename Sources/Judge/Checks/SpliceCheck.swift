import Ground

// Invariant 3, for splices: each was requested once, with its amount and script; its transaction has the row's id;
// and no side has as done what the other has forgotten.
extension Checker {
  /// Without a ledger only the wallet's own rows are checked.
  mutating func checkSplices() {
    for entry in evidence.ledger.splices { checkTransaction(of: entry) }
    for entry in evidence.wallet.splices { checkTransaction(of: entry) }
    if evidence.hasLedger { checkEnds() }
    checkRequests()
    checkNumbers("splices", evidence.wallet.splices.map(\.id))
    for entry in evidence.wallet.splices {
      if !entry.isOver, evidence.moves.isHereNow { notePending(.splicePending, entry.name, at: [entry.row]) }
      if entry.state == "lost" { remark("how \(entry.name) ended was lost with the wallet's database") }
    }
  }

  /// Also without frames a row must be consistent in itself.
  private mutating func checkTransaction(of entry: SpliceEntry) {
    if Secrets.sha256(Secrets.sha256(entry.unsignedTransaction)) != entry.txid {
      find(.spliceID, entry.name, at: [entry.row])
    }
    if entry.isOver != (entry.isLedgers ? entry.endedAtNs != nil : entry.endedEpoch != nil) {
      let column = entry.isLedgers ? "ended_at_ns" : "ended_epoch"
      find(.spliceColumns, entry.name, entry.state, column, at: [entry.row])
    }
  }

  private mutating func checkEnds() {
    let ours = evidence.wallet.splices.index { $0.txid }
    let peers = evidence.ledger.splices.index { $0.txid }
    // A forgotten splice may be made again: the same request gives the same transaction.
    let oursKept = Set(evidence.wallet.splices.filter { $0.state != "forgotten" }.map(\.txid))
    let peersKept = Set(evidence.ledger.splices.filter { $0.state != "forgotten" }.map(\.txid))
    for entry in evidence.wallet.splices {
      for theirs in peers.all(entry.txid) {
        let isOneDone = [entry.state, theirs.state].contains("done")
        let isForgotten =
          entry.state == "forgotten" && !oursKept.contains(entry.txid)
          || theirs.state == "forgotten" && !peersKept.contains(theirs.txid)
        guard isOneDone, isForgotten else { continue }
        find(.spliceEnds, entry.name, entry.state, theirs.state, at: [entry.row, theirs.row])
      }
    }
    for entry in evidence.wallet.splices where entry.state == "done" || entry.state == "signed" {
      if !peersKept.contains(entry.txid) {
        find(.spliceUnknown, entry.name, entry.state, at: [entry.row])
      }
    }
    for theirs in evidence.ledger.splices where theirs.state == "done" {
      let owners = ours.all(theirs.txid).filter { $0.state != "forgotten" }
      let isHere = evidence.moves.isHere(atNs: theirs.begunAtNs)
      if owners.count > 1 || owners.isEmpty && isHere && !evidence.wallet.isRestored {
        find(.spliceCount, theirs.name, owners.count, at: [theirs.row] + owners.map(\.row))
      }
    }
  }

  // MARK: The user's requests

  /// Amount and script of a request.
  private struct Request: Hashable {
    let amountSat: Int64
    let script: String
  }

  /// A request leads to at most one splice, with its amount and script.
  private mutating func checkRequests() {
    var requests: [Request: Int] = [:]
    for journal in evidence.journals + evidence.otherContainersJournals {
      for record in journal.events(of: "node") {
        guard let asked = record.event.payload("spliceRequested"), let amount = asked["amountSat"]?.integer,
          let script = asked["script"]?["bytes"]?.text
        else { continue }
        requests[Request(amountSat: amount, script: script), default: 0] += 1
      }
    }
    let peers = evidence.ledger.splices.index { $0.txid }
    for entry in evidence.wallet.splices where entry.state != "forgotten" {
      let script = SplicePlan.output(of: entry).map { Hexadecimal.encode($0) }
      let request = script.map { Request(amountSat: entry.amountSat, script: $0) }
      if let request, let left = requests[request], left > 0 {
        requests[request] = left - 1
      } else if !mayHaveLostRequest(entry, peers.all(entry.txid)) {
        find(.spliceUnrequested, entry.name, at: [entry.row])
      }
    }
  }

  private func mayHaveLostRequest(_ entry: SpliceEntry, _ peers: [SpliceEntry]) -> Bool {
    let epoch = entry.begunEpoch ?? 0
    let journal = evidence.wallet.claim(epoch).flatMap(evidence.journal(of:))
    // It may be restored from a backup, and requested in another container.
    let isOthers = peers.contains { !evidence.moves.isHere(atNs: $0.begunAtNs) }
    return !missing.hasJournal(ofEpoch: epoch) || journal?.hasGaps == true || isOthers
  }
}
