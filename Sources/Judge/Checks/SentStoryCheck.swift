// Invariants 3 and 4, for what the wallet pays itself: its table, and the peer's of what others are paid, are what the
// journals tell; nobody was told of a payment that is not there, or of another end than it has.
extension Hearing {
  mutating func checkSentAgainstJournals() {
    let story = SentStory(evidence)
    if !evidence.wallet.isRestored {
      let ends = Set(evidence.wallet.sent.filter { $0.isPaid == ($0.preimage != nil) }.map(\.asEnded))
      for entry in evidence.wallet.sent { check(entry, story) }
      for word in story.saidToBeOffered where !hasRow(word.paymentHash) {
        find(
          3,
          "The app said that payment \(word.paymentHash.prefix(12))… is in the channel, and the wallet has no row of it",
          [word.record.evidence])
      }
      for word in story.saidToHaveEnded where !ends.contains(word.end) {
        find(
          3,
          "It was said that payment \((word.end.paymentHash ?? "?").prefix(12))… \(word.end.preimage == nil ? "failed" : "is paid"), and its row does not say so",
          [word.record.evidence])
      }
    }
    if evidence.hasLedger { checkElsewhere(story) }
  }

  private func hasRow(_ hash: String) -> Bool {
    bytes(ofHexadecimal: hash).map(evidence.wallet.sentByHash.contains) ?? false
  }

  private mutating func check(_ entry: SentEntry, _ story: SentStory) {
    let began = SentStory.Began(
      paymentHash: hexadecimal(entry.paymentHash), amountMsat: entry.amountMsat,
      secret: hexadecimal(entry.secret), htlc: entry.htlc)
    if !story.began.contains(began), untold.sum(of: entry.begunEpoch).offered == 0 {
      find(
        4, "Payment \(entry.id) (\(shortHex(entry.paymentHash))) is not one that the wallet's journals begin",
        [entry.evidence])
    }
    checkEpochs(of: entry)
    let isUntold = untold.sum(of: entry.endedEpoch ?? 0).ended > 0
    if entry.isPaid || entry.isFailed, !story.ended.contains(entry.asEnded), !isUntold {
      find(
        4,
        "Payment \(entry.id) (\(shortHex(entry.paymentHash))) is \(entry.state), and no journal of the wallet's ends it so",
        [entry.evidence])
    }
  }

  /// Of the writes that say so.
  private mutating func checkEpochs(of entry: SentEntry) {
    let isBegun = evidence.wallet.sum(of: entry.begunEpoch).offered > 0
    let isEnded = entry.endedEpoch.map { evidence.wallet.sum(of: $0).ended > 0 } ?? true
    if !isBegun || !isEnded {
      find(
        4, "No write of the epochs that payment \(entry.id) names began or ended one", [entry.evidence])
    }
  }

  private mutating func checkElsewhere(_ story: SentStory) {
    guard evidence.journals(of: "lspd").allSatisfy(\.isComplete) else { return }
    for entry in evidence.ledger.elsewhere {
      let hash = hexadecimal(entry.paymentHash)
      let isMade = (story.invoices[hash] ?? []).contains {
        $0.amountMsat == entry.amountMsat
          && $0.preimage == hexadecimal(entry.preimage) && $0.secret == hexadecimal(entry.secret)
          && $0.record.announces(entry.madeNs)
      }
      if !isMade, !untold.hadPeersStep(atNs: entry.madeNs, evidence.ledger) {
        find(
          4, "Invoice \(entry.id) of another payee is not one that the peer's journal makes",
          [entry.evidence])
      }
      let arrivals = story.paid[hash] ?? []
      if entry.isPaid {
        let isTold = arrivals.contains { $0.htlc == entry.htlc && $0.record.announces(entry.paidNs) }
        if !isTold, !untold.hadPeersStep(atNs: entry.paidNs, evidence.ledger) {
          find(
            4, "Invoice \(entry.id) of another payee is paid, and the peer's journal does not tell of it",
            [entry.evidence])
        }
      } else if let told = arrivals.first(where: \.isCertain) {
        find(
          4, "Invoice \(entry.id) of another payee is not paid, and the peer's journal says that it was",
          [entry.evidence, told.record.evidence])
      }
    }
    let known = Set(evidence.ledger.elsewhere.map { hexadecimal($0.paymentHash) })
    let missing = story.invoices.values.joined().filter { made in
      made.isCertain && made.paymentHash.map(known.contains) != true
    }
    for made in missing.sorted(by: { $0.record.atNs < $1.record.atNs }) {
      find(
        4, "An invoice of another payee that the peer's journal makes is not in the ledger",
        [made.record.evidence])
    }
  }
}

extension SentEntry {
  /// As a journal would tell of its end.
  fileprivate var asEnded: SentStory.Ended {
    SentStory.Ended(
      paymentHash: hexadecimal(paymentHash), htlc: htlc, preimage: preimage.map { hexadecimal($0) },
      failureCode: failureCode)
  }
}
