import Ground

// Invariant 3, for outgoing payments: money leaves once for each payment; a paid payment has the preimage, and its
// recipient was paid; the recipient of a failed payment was not.
extension Checker {
  mutating func checkSent(_ replay: PeerReplay) {
    let duplicates = Dictionary(grouping: evidence.wallet.sent.filter { !$0.isFailed }, by: \.paymentHash)
    for entry in evidence.wallet.sent {
      checkColumns(of: entry)
      let life = replay.sentLives[UInt64(bitPattern: entry.htlc)]
      switch entry.state {
      case "paid": checkPaid(entry, life, replay)
      case "failed": checkFailed(entry, life, replay)
      case "pending": if evidence.moves.isHereNow { notePending(.sentPending, name(entry), at: [entry.row]) }
      default: remark("how \(name(entry)) ended was lost with the wallet's database")
      }
      checkOnce(entry, duplicates)
    }
    checkTaken(replay)
    checkOffered(replay)
  }

  /// The external invoices that this payment paid.
  private func arrivals(of entry: SentEntry) -> [ExternalInvoiceEntry] {
    evidence.ledger.paidExternal.all(entry.paymentHash).filter { $0.htlc == entry.htlc }
  }

  private func name(_ entry: SentEntry) -> String {
    "payment \(entry.id) of \(amountWords(entry.amountMsat)) (\(shortHex(entry.paymentHash)))"
  }

  private mutating func checkColumns(of entry: SentEntry) {
    if entry.isPaid != (entry.preimage != nil) || entry.isFailed != (entry.failureCode != nil)
      || (entry.state == "pending") != (entry.endedEpoch == nil)
    {
      find(.sentColumns, name(entry), entry.state, at: [entry.row])
    }
  }

  private mutating func checkPaid(_ entry: SentEntry, _ life: PeerReplay.HTLCLife?, _ replay: PeerReplay) {
    if let preimage = entry.preimage, Secrets.sha256(preimage) != entry.paymentHash {
      find(.sentWithOtherPreimage, name(entry), at: [entry.row])
    }
    if replay.isChannelKnown, life?.endSignedNs == nil || life?.preimage != entry.preimage {
      find(.sentUnsigned, name(entry), at: [entry.row])
    }
    if arrivals(of: entry).isEmpty { find(.sentUnpaid, name(entry), at: [entry.row]) }
  }

  private mutating func checkFailed(_ entry: SentEntry, _ life: PeerReplay.HTLCLife?, _ replay: PeerReplay) {
    let taken = arrivals(of: entry)
    if !taken.isEmpty || life?.isFulfilled == true {
      find(.sentFailedThoughPaid, name(entry), at: [entry.row] + taken.map(\.row))
    } else if replay.isChannelKnown, life?.endSignedNs == nil || life?.failureCode != entry.failureCode {
      find(.sentFailedUnsigned, name(entry), entry.failureCode ?? 0, at: [entry.row])
    }
  }

  private mutating func checkOnce(_ entry: SentEntry, _ duplicates: [[UInt8]: [SentEntry]]) {
    let duplicates = duplicates[entry.paymentHash] ?? []
    if duplicates.count > 1, duplicates.first?.id == entry.id {
      find(.sentTwice, duplicates.count, name(entry), at: duplicates.map(\.row))
    }
  }

  /// Each paid external invoice was paid by one payment of the wallet.
  private mutating func checkTaken(_ replay: PeerReplay) {
    for invoice in evidence.ledger.externalInvoices where invoice.isPaid {
      let life = invoice.htlc.flatMap { replay.sentLives[UInt64(bitPattern: $0)] }
      let payers = (invoice.htlc.map(evidence.wallet.sentByHTLC.all) ?? []).filter {
        $0.paymentHash == invoice.paymentHash
      }
      if payers.count != 1, !payers.isEmpty || evidence.moves.isHere(atNs: life?.addNs) {
        find(.externalUnsent, invoice.id, payers.count, at: [invoice.row] + payers.map(\.row))
      }
    }
  }

  /// Each HTLC that the wallet offered belongs to one payment.
  private mutating func checkOffered(_ replay: PeerReplay) {
    guard replay.isChannelKnown else { return }
    var fulfilled: [[UInt8]: UInt64] = [:]
    for (id, life) in replay.sentLives.sorted(by: { $0.key < $1.key }) {
      // Regardless of the container that sent it.
      if life.isFulfilled {
        if let earlier = fulfilled[life.paymentHash] {
          find(.moneyLeftTwice, earlier, id, at: [.frame(life.addFrame)])
        }
        fulfilled[life.paymentHash] = id
      }
      let owners = evidence.wallet.sentByHTLC.all(Int64(bitPattern: id))
      if owners.isEmpty, !evidence.moves.isHere(frame: life.addFrame) { continue }
      if owners.count != 1 || owners[0].paymentHash != life.paymentHash
        || UInt64(bitPattern: owners[0].amountMsat) != life.amountMsat
      {
        find(
          .sentHTLCWithoutPayment, id, amountWords(life.amountMsat),
          at: [.frame(life.addFrame)] + owners.map(\.row))
      }
      if let owner = owners.first,
        life.data != PartData(secret: owner.paymentSecret, totalMsat: UInt64(bitPattern: owner.amountMsat))
      {
        find(.sentHTLCDiffers, id, name(owner), at: [.frame(life.addFrame), owner.row])
      }
    }
  }

  /// The rows must be as many as the writes say they began and ended.
  mutating func checkSentCounts() {
    checkNumbers("outgoing_payments", evidence.wallet.sent.map(\.id))
    guard !evidence.wallet.isRestored else { return }
    let writes = evidence.wallet.writes.compactMap(\.summary)
    let offered = writes.reduce(Int64(0)) { $0 &+ $1.offered }
    let ended = writes.reduce(Int64(0)) { $0 &+ $1.ended }
    let isOver = evidence.wallet.sent.count { $0.endedEpoch != nil }
    if offered != Int64(evidence.wallet.sent.count) || ended != Int64(isOver) {
      find(.sentCount, offered, ended, evidence.wallet.sent.count, isOver, at: [.wallet("outgoing_payments")])
    }
  }
}

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
      if !peersKept.contains(entry.txid) { find(.spliceUnknown, entry.name, entry.state, at: [entry.row]) }
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
