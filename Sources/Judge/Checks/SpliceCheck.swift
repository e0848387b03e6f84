// Invariant 3, for what is taken out to the chain: it leaves the wallet once, for what was asked, and by what it says; its
// transaction has the id by which it is known; and neither end calls done what the other has given up.
extension Hearing {
  mutating func checkSplices(_ replay: PeerReplay) {
    for entry in evidence.ledger.splices + evidence.wallet.splices { checkTransaction(of: entry) }
    checkEnds()
    checkTimes(replay)
    checkEpochs(replay)
    checkRequests()
    checkWords()
    var next: Int64 = 1
    for entry in evidence.wallet.splices {
      if entry.id != next { find(4, "In front of \(entry.name) a row is missing", [entry.evidence]) }
      next = entry.id &+ 1
      if !entry.isOver { waitFor("\(entry.name) is half-way", [entry.evidence]) }
      if entry.state == "lost" { remark("how \(entry.name) ended was lost with the wallet's database") }
    }
  }

  /// Also where the messages are not known: a row must at least agree with itself.
  private mutating func checkTransaction(of entry: SpliceEntry) {
    if Secrets.sha256(Secrets.sha256(entry.transaction)) != entry.txid {
      find(3, "The transaction of \(entry.name) has another id", [entry.evidence])
    }
    if entry.isOver != (entry.holder == .peer ? entry.endedNs != nil : entry.endedEpoch != nil) {
      find(3, "The \(entry.name) is \(entry.state), and its other columns say otherwise", [entry.evidence])
    }
  }

  private mutating func checkEnds() {
    for entry in evidence.wallet.splices {
      for theirs in evidence.ledger.splices where theirs.txid == entry.txid {
        let isOneDone = [entry.state, theirs.state].contains("done")
        let isForgotten =
          isGivenUp(entry, among: evidence.wallet.splices)
          || isGivenUp(theirs, among: evidence.ledger.splices)
        guard isOneDone, isForgotten else { continue }
        find(
          3, "The wallet calls \(entry.name) \(entry.state), and the peer calls it \(theirs.state)",
          [entry.evidence, theirs.evidence])
      }
    }
    for entry in evidence.wallet.splices where entry.state == "done" || entry.state == "signed" {
      let isKnown = evidence.ledger.splices.contains { $0.txid == entry.txid && $0.state != "forgotten" }
      if !isKnown {
        find(
          3, "The wallet calls \(entry.name) \(entry.state), and the peer does not know it", [entry.evidence])
      }
    }
    for theirs in evidence.ledger.splices where theirs.state == "done" {
      let owners = evidence.wallet.splices.filter { $0.txid == theirs.txid && $0.state != "forgotten" }
      if owners.count > 1 || owners.isEmpty && !isRestored {
        find(
          3, "The peer calls \(theirs.name) done, and the wallet has it \(owners.count) times",
          [theirs.evidence] + owners.map(\.evidence))
      }
    }
  }

  /// And not begun once more: the same wish makes the same transaction.
  private func isGivenUp(_ entry: SpliceEntry, among all: [SpliceEntry]) -> Bool {
    entry.state == "forgotten" && !all.contains { $0.txid == entry.txid && $0.state != "forgotten" }
  }

  private var isRestored: Bool {
    evidence.wallet.writes.contains { WriteSummary($0.what)?.isRestored ?? false }
  }

  /// The peer writes with each frame what it leads to.
  private mutating func checkTimes(_ replay: PeerReplay) {
    guard replay.isChannelKnown else { return }
    for (index, entry) in evidence.ledger.splices.enumerated() where index < replay.spliceTimes.count {
      let times = replay.spliceTimes[index]
      if entry.begunNs != times.begunNs || entry.endedNs != times.endedNs {
        find(
          4, "The peer's \(entry.name) did not begin or end with the frames that made it begin or end",
          [entry.evidence])
      }
    }
  }

  /// The wallet's rows name the owners that wrote them; one that came with a backup, whoever took that.
  private mutating func checkEpochs(_ replay: PeerReplay) {
    for entry in evidence.wallet.splices {
      let isBegun =
        isRestored || !replay.isChannelKnown
        || entry.begunEpoch.map { replay.spliceEpochs[entry.txid]?.contains($0) ?? false } ?? false
      let ended = entry.endedEpoch ?? entry.begunEpoch ?? 0
      let isEnded = evidence.wallet.writes.contains { write in
        write.epoch == ended && WriteSummary(write.what)?.revision != nil
      }
      if !isBegun || !isEnded || ended < entry.begunEpoch ?? 0 {
        find(4, "The owners that \(entry.name) names did not begin or end it", [entry.evidence])
      }
    }
  }

  // MARK: What people asked for

  /// A person's wish leads to one splice at the most, with that amount and to that address.
  private mutating func checkRequests() {
    var wishes = evidence.journals.flatMap { journal in
      journal.events(of: "node").compactMap { $0.event.payload("spliceRequested") }
    }.map { (amount: $0["amountSat"]?.integer, script: $0["script"]?["bytes"]?.text) }
    for entry in evidence.wallet.splices where entry.state != "forgotten" {
      let paid = SplicePlan.output(of: entry)
      let place = wishes.firstIndex {
        $0.amount == entry.amountSat && $0.script != nil && $0.script == paid.map { hexadecimal($0) }
      }
      if let place {
        wishes.remove(at: place)
      } else if !cleaned.epochs.contains(entry.begunEpoch ?? 0) {
        find(
          3, "Nobody asked for \(entry.name), with that amount and to where it goes, or it left twice",
          [entry.evidence])
      }
    }
  }

  /// Nobody is told of an end that is not there.
  private mutating func checkWords() {
    guard !isRestored else { return }
    for journal in evidence.journals {
      for record in journal.events(of: "node") where evidence.isCertain(record) {
        for directive in record.directives {
          guard let word = directive["spliceEnded"], let id = word["_0"]?.text, let end = word["_1"]?.text
          else { continue }
          let isSo = evidence.wallet.splices.contains { transactionWords($0.txid) == id && $0.state == end }
          if !isSo {
            find(
              3, "It was said that splice \(id.prefix(12))… is \(end), and the wallet's row does not say so",
              [record.evidence])
          }
        }
      }
    }
  }
}
