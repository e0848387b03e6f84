// Invariants 3 and 4, for what the wallet pays itself: its table, and the peer's of what others are paid, are what the
// journals tell; nobody was told of a payment that is not there, or of another end than it has.
extension Hearing {
  mutating func checkSentAgainstJournals() {
    let story = SentStory(evidence)
    // An old database, or one that was healed from the peer's copy, has lost what journals tell.
    let isRestored = evidence.wallet.writes.contains { WriteSummary($0.what)?.isRestored ?? false }
    if !isRestored {
      for entry in evidence.wallet.sent { check(entry, story) }
      for word in story.saidToBeOffered where !hasRow(word.paymentHash) {
        find(
          3,
          "The app said that payment \(word.paymentHash.prefix(12))… is in the channel, and the wallet has no row of it",
          [word.record.evidence])
      }
      for word in story.saidToHaveEnded where !evidence.wallet.sent.contains(where: { isSame($0, word) }) {
        find(
          3,
          "It was said that payment \((word.paymentHash ?? "?").prefix(12))… \(word.preimage == nil ? "failed" : "is paid"), and its row does not say so",
          [word.record.evidence])
      }
    }
    checkElsewhere(story)
  }

  private func hasRow(_ hash: String) -> Bool {
    evidence.wallet.sent.contains { hexadecimal($0.paymentHash) == hash }
  }

  private mutating func check(_ entry: SentEntry, _ story: SentStory) {
    let isBegun = story.began.contains {
      $0.paymentHash == hexadecimal(entry.paymentHash) && $0.amountMsat == entry.amountMsat
        && $0.htlc == entry.htlc && $0.secret == hexadecimal(entry.secret)
    }
    if !isBegun, !cleaned.epochs.contains(entry.begunEpoch) {
      find(
        4, "Payment \(entry.id) (\(shortHex(entry.paymentHash))) is not one that the wallet's journals begin",
        [entry.evidence])
    }
    checkEpochs(of: entry)
    let isEnded = story.ended.contains { isSame(entry, $0) }
    if entry.isPaid || entry.isFailed, !isEnded, !cleaned.epochs.contains(entry.endedEpoch ?? 0) {
      find(
        4,
        "Payment \(entry.id) (\(shortHex(entry.paymentHash))) is \(entry.state), and no journal of the wallet's ends it so",
        [entry.evidence])
    }
  }

  /// Of the writes that say so.
  private mutating func checkEpochs(of entry: SentEntry) {
    let writes = evidence.wallet.writes.map { (epoch: $0.epoch, summary: WriteSummary($0.what)) }
    let isBegun = writes.contains { $0.epoch == entry.begunEpoch && $0.summary?.offered ?? 0 > 0 }
    let isEnded =
      entry.endedEpoch.map { epoch in
        writes.contains { $0.epoch == epoch && $0.summary?.ended ?? 0 > 0 }
      } ?? true
    if !isBegun || !isEnded {
      find(
        4, "No write of the epochs that payment \(entry.id) names began or ended one", [entry.evidence])
    }
  }

  private func isSame(_ entry: SentEntry, _ end: SentStory.Ended) -> Bool {
    hexadecimal(entry.paymentHash) == end.paymentHash && entry.htlc == end.htlc
      && entry.preimage.map(hexadecimal) == end.preimage && entry.failureCode == end.failureCode
      && entry.isPaid == (end.preimage != nil)
  }

  private mutating func checkElsewhere(_ story: SentStory) {
    guard evidence.journals(of: "lspd").allSatisfy(\.isComplete) else { return }
    for entry in evidence.ledger.elsewhere {
      let hash = hexadecimal(entry.paymentHash)
      let isMade = story.invoices.contains {
        $0.paymentHash == hash && $0.amountMsat == entry.amountMsat
          && $0.preimage == hexadecimal(entry.preimage) && $0.secret == hexadecimal(entry.secret)
          && $0.record.announces(entry.madeNs)
      }
      if !isMade, !cleaned.hadPeersStep(atNs: entry.madeNs, evidence.ledger) {
        find(
          4, "Invoice \(entry.id) of somebody else is not one that the peer's journal makes",
          [entry.evidence])
      }
      let arrivals = story.paid.filter { $0.paymentHash == hash }
      if entry.isPaid {
        let isTold = arrivals.contains { $0.htlc == entry.htlc && $0.record.announces(entry.paidNs) }
        if !isTold, !cleaned.hadPeersStep(atNs: entry.paidNs, evidence.ledger) {
          find(
            4, "Invoice \(entry.id) of somebody else is paid, and the peer's journal does not tell of it",
            [entry.evidence])
        }
      } else if let told = arrivals.first(where: \.isCertain) {
        find(
          4, "Invoice \(entry.id) of somebody else is not paid, and the peer's journal says that it was",
          [entry.evidence, told.record.evidence])
      }
    }
    for made in story.invoices where made.isCertain {
      guard
        !evidence.ledger.elsewhere.contains(where: { hexadecimal($0.paymentHash) == made.paymentHash })
      else { continue }
      find(
        4, "An invoice of somebody else that the peer's journal makes is not in the ledger",
        [made.record.evidence])
    }
  }
}
