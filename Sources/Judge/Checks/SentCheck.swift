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
      case "pending":
        if evidence.moves.isHereNow {
          notePending("outgoing \(name(entry)) is pending", [entry.evidence])
        }
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
      find(
        3,
        "The wallet's \(name(entry)) is \(entry.state), but another column of its row contradicts that state",
        [entry.evidence])
    }
  }

  private mutating func checkPaid(_ entry: SentEntry, _ life: PeerReplay.HTLCLife?, _ replay: PeerReplay) {
    if let preimage = entry.preimage, Secrets.sha256(preimage) != entry.paymentHash {
      find(3, "The wallet marks \(name(entry)) as paid with a preimage of another hash", [entry.evidence])
    }
    if replay.isChannelKnown, life?.endSignedNs == nil || life?.preimage != entry.preimage {
      find(
        3, "The wallet marks \(name(entry)) as paid, but the peer never signed for its fulfilment",
        [entry.evidence])
    }
    if arrivals(of: entry).isEmpty {
      find(3, "The wallet marks \(name(entry)) as paid, but its recipient was not paid", [entry.evidence])
    }
  }

  private mutating func checkFailed(_ entry: SentEntry, _ life: PeerReplay.HTLCLife?, _ replay: PeerReplay) {
    let taken = arrivals(of: entry)
    if !taken.isEmpty || life?.isFulfilled == true {
      find(
        3, "The wallet marks \(name(entry)) as failed, but its recipient was paid",
        [entry.evidence] + taken.map(\.evidence))
    } else if replay.isChannelKnown, life?.endSignedNs == nil || life?.failureCode != entry.failureCode {
      find(
        3,
        "The wallet marks \(name(entry)) as failed with code \(entry.failureCode ?? 0), which the peer never signed for",
        [entry.evidence])
    }
  }

  private mutating func checkOnce(_ entry: SentEntry, _ duplicates: [[UInt8]: [SentEntry]]) {
    let duplicates = duplicates[entry.paymentHash] ?? []
    if duplicates.count > 1, duplicates.first?.id == entry.id {
      find(
        3, "The wallet has paid one invoice \(duplicates.count) times: \(name(entry))",
        duplicates.map(\.evidence))
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
        find(
          3,
          "External invoice \(invoice.id) was paid, but the wallet has \(payers.count) payments of it",
          [invoice.evidence] + payers.map(\.evidence))
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
          find(
            3, "Money left the wallet twice for one hash: HTLCs \(earlier) and \(id)",
            ["ledger frames \(life.addFrame)"])
        }
        fulfilled[life.paymentHash] = id
      }
      let owners = evidence.wallet.sentByHTLC.all(Int64(bitPattern: id))
      if owners.isEmpty, !evidence.moves.isHere(frame: life.addFrame) { continue }
      if owners.count != 1 || owners[0].paymentHash != life.paymentHash
        || UInt64(bitPattern: owners[0].amountMsat) != life.amountMsat
      {
        find(
          3,
          "HTLC \(id) of \(amountWords(life.amountMsat)) left the wallet, but does not belong to exactly one payment",
          ["ledger frames \(life.addFrame)"] + owners.map(\.evidence))
      }
      if let owner = owners.first,
        life.data != PartData(secret: owner.secret, totalMsat: UInt64(bitPattern: owner.amountMsat))
      {
        find(
          3, "HTLC \(id) left the wallet with another secret or total than those of \(name(owner))",
          ["ledger frames \(life.addFrame)", owner.evidence])
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
      find(
        4,
        "The wallet's writes began \(offered) payments and ended \(ended), but its table has \(evidence.wallet.sent.count) rows, \(isOver) of them ended",
        ["node.sqlite outgoing_payments"])
    }
  }
}
