// The ledger against the journals of the process that wrote it (invariant 4): a row changed by hand afterwards differs.
extension Hearing {
  mutating func checkLedgerAgainstItsJournal() {
    let journals = evidence.journals(of: "lspd")
    guard !journals.isEmpty, untold.missingRuns.isEmpty else { return }
    guard untold.cleaned.runs.isEmpty else {
      remark("the peer's older journals are gone, so its ledger was not compared with them")
      return
    }
    guard journals.allSatisfy(\.isComplete) else {
      remark("the peer's journals have gaps, so its ledger was not compared with them")
      return
    }
    let stories = [true, false].map { LedgerStory(evidence: evidence, includingUncertain: $0) }
    compareFrames(stories[0])
    compareConnections(stories)
    comparePayments(stories)
    comparePushes(stories[0])
    if let row = evidence.ledger.channels.first, !stories.contains(where: { $0.revision == row.revision }) {
      find(
        4,
        "The peer's channel is at revision \(row.revision), and its journal left it at \(stories[0].revision ?? 0)",
        ["ledger channel"])
    }
    let losses = stories[0].losses
    for (index, loss) in evidence.ledger.losses.enumerated()
    where index >= losses.count || losses[index].connection != loss.connection
      || losses[index].whose != loss.whose
    {
      find(4, "The peer's journal does not tell of loss \(loss.id)", [loss.evidence])
    }
    compareEnds(journals)
  }

  /// The n-th frame that the journal tells of is the n-th that came in.
  private mutating func compareFrames(_ story: LedgerStory) {
    var told = story.frames[...]
    for frame in frames where frame.entry.isIn {
      while let next = told.first, !isSame(frame, next), !next.isCertain { told.removeFirst() }
      guard let next = told.popFirst(), isSame(frame, next) else {
        find(4, "Frame \(frame.entry.id) is not as the peer's journal tells of it", [frame.entry.evidence])
        return
      }
    }
    if let missing = told.first(where: \.isCertain) {
      find(
        4, "A frame of connection \(missing.connection ?? 0) is missing in the ledger",
        [missing.record.evidence])
    }
  }

  private func isSame(_ frame: ReadFrame, _ told: LedgerStory.Frame) -> Bool {
    guard frame.entry.connection == told.connection, frame.entry.whyNot == told.whyNot,
      told.record.announces(frame.entry.atNs)
    else { return false }
    // What was acted on is checked by what it led to; of what was ignored, and of some numbers in what splices are made
    // of, only the journal has a second copy.
    guard !frame.entry.isActedOn || frame.isOfSplice, let message = told.record.event["received"]?["_1"]
    else { return true }
    let isOfVisitor = evidence.ledger.connection(frame.entry.connection)?.verdict == "visitor"
    // Other nodes may say what this version's own never do, and the judge cannot read.
    if isOfVisitor, frame.message == nil { return true }
    guard let read = frame.message, message[read.journalWord] != nil else { return false }
    return read.numbersAndBytes.isSubset(of: message.leaves)
  }

  private mutating func compareConnections(_ stories: [LedgerStory]) {
    let starts = Set(evidence.ledger.runs.map(\.startedNs))
    for entry in evidence.ledger.connections
    where !stories.contains(where: { isSame(entry, $0.connections[entry.id], starts) }) {
      find(4, "Connection \(entry.id) is not as the peer's journal tells of it", [entry.evidence])
    }
    for (id, told) in stories[1].connections.sorted(by: { $0.key < $1.key })
    where evidence.ledger.connection(id) == nil {
      find(4, "Connection \(id) is missing in the ledger", [told.opened.evidence])
    }
  }

  private func isSame(
    _ entry: ConnectionEntry, _ told: LedgerStory.Connection?, _ starts: Set<Int64>
  ) -> Bool {
    guard let told, told.opened.announces(entry.openedNs), told.verdict == entry.verdict,
      told.node == entry.node.map({ hexadecimal($0) }),
      isNear(told.opened.wallNs, entry.openedWallNs, withinNs: stepSlackNs)
    else { return false }
    if let closed = told.closed {
      return entry.closedReason == told.closedReason && closed.announces(entry.closedNs)
    }
    // Nobody was there to see it end, so the next run closed it.
    guard let reason = entry.closedReason else { return true }
    return reason == "lspd ended before it" && entry.closedNs.map(starts.contains) == true
  }

  private mutating func comparePayments(_ stories: [LedgerStory]) {
    for entry in evidence.ledger.payments
    where !stories.contains(where: { isSame(entry, $0.payments[entry.id]) }) {
      find(4, "Payment \(entry.id) is not as the peer's journal tells of it", [entry.evidence])
    }
    let ids = Set(evidence.ledger.payments.map(\.id))
    for (id, told) in stories[1].payments.sorted(by: { $0.key < $1.key }) where !ids.contains(id) {
      find(
        4, "Payment \(id) of \(amountWords(told.amountMsat ?? 0)) is missing in the ledger",
        [told.held.evidence])
    }
  }

  private func isSame(_ entry: PaymentEntry, _ told: LedgerStory.Payment?) -> Bool {
    guard let told, told.paymentHash == hexadecimal(entry.paymentHash), told.amountMsat == entry.amountMsat,
      told.holdUntilNs == entry.holdUntilNs, told.state == entry.state, told.htlc == entry.htlc,
      told.preimage == entry.preimage.map({ hexadecimal($0) }),
      told.secret == entry.data.map({ hexadecimal($0.secret) }),
      told.totalMsat == entry.data.map({ Int64(bitPattern: $0.totalMsat) }),
      told.held.announces(entry.requestedNs)
    else { return false }
    if let offered = told.offered, !offered.announces(entry.offeredNs) { return false }
    if let settled = told.settled, !settled.announces(entry.settledNs) { return false }
    if told.offered == nil && entry.offeredNs != nil || told.settled == nil && entry.settledNs != nil {
      return false
    }
    // What is offered in the very step of its request was never held.
    let held = entry.offeredNs == entry.requestedNs ? nil : entry.requestedNs
    return entry.heldNs == held && isFailureSame(entry, told.failure)
  }

  private func isFailureSame(_ entry: PaymentEntry, _ told: String?) -> Bool {
    switch told {
    case nil: entry.failure == nil && entry.failureCode == nil
    case "recipientAway": entry.failure == "recipient-away" && entry.failureCode == 0x1007
    case "noBalance": entry.failure == "no-balance" && entry.failureCode == 0x1007
    case "refusedByRecipient": entry.failure == "refused-by-recipient" && entry.failureCode != nil
    default: false
    }
  }

  private mutating func comparePushes(_ story: LedgerStory) {
    var told = story.pushes[...]
    for push in evidence.ledger.pushes {
      while let next = told.first, !isSame(push, next), !next.isCertain { told.removeFirst() }
      guard let next = told.popFirst(), isSame(push, next) else {
        find(4, "Push \(push.id) is not as the peer's journal tells of it", [push.evidence])
        return
      }
    }
    if let missing = told.first(where: \.isCertain) {
      find(4, "A push is missing in the ledger", [missing.record.evidence])
    }
  }

  private func isSame(_ entry: PushEntry, _ told: LedgerStory.Push) -> Bool {
    entry.reason == told.reason && entry.paymentHash.map { hexadecimal($0) } == told.paymentHash
      && entry.amountMsat == told.amountMsat && told.record.announces(entry.atNs)
  }

  /// Nothing is stamped after a last line that says goodbye. (Attempts to push are not journalled while it lives.)
  private mutating func compareEnds(_ journals: [JournalFile]) {
    guard journals.last?.hasEnded == true, let last = journals.last?.lastNs else { return }
    for push in evidence.ledger.pushes {
      guard let stamp = push.lastNs, stamp > last, !isNear(stamp, last, withinNs: 2 * stepSlackNs) else {
        continue
      }
      find(4, "Push \(push.id) was tried after the peer had ended", [push.evidence])
    }
  }
}
