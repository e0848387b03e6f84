import Ground

// Invariant 4: a record of an announced payment that was stored stays until the app removes it, or many newer ones
// take its place.
extension Checker {
  mutating func checkRecords() {
    // Another container has records of its own, and no journal of the extension names a container.
    guard evidence.moves.all.isEmpty, !evidence.journals(of: Evidence.tellingExtension).isEmpty else {
      return
    }
    if let hindrance = evidence.records.hindrance { return remark(hindrance) }
    let history = RecordHistory(evidence)
    let sinceNs = evidence.recordsBeginNs
    let unknownUntilNs = missing.removalsUnknownUntilNs(evidence)
    for (hash, store) in history.stores where !evidence.records.hashes.contains(hash) {
      guard store.orderedNs > sinceNs, store.orderedNs > unknownUntilNs,
        !history.mayBeRemoved(hash, storedNs: store.orderedNs), !history.mayBeDisplaced(hash)
      else { continue }
      find(.recordGone, shortHex(hash), at: [store.row])
    }
  }
}

/// What the journals say of the records.
private struct RecordHistory {
  struct Store {
    let orderedNs: Int64
    let row: EvidenceRow
  }

  /// The store keeps so many.
  private static let limit = 256

  /// The last acknowledged one of each payment, in the order of the payments' first ones.
  private(set) var stores: [(hash: [UInt8], store: Store)] = []
  /// Of each payment, of any write, as one without an answer may be durable too.
  private var firstOrders: [[UInt8]: Int64] = [:]
  private var lastOrders: [[UInt8]: Int64] = [:]
  private var sortedLastOrders: [Int64] = []
  /// Until when the app may have removed a payment's record.
  private var removedUntil: [[UInt8]: Int64] = [:]

  init(_ evidence: Evidence) {
    var last: [[UInt8]: Store] = [:]
    for journal in evidence.journals(of: Evidence.tellingExtension) {
      addStores(of: journal, evidence, &last)
    }
    for journal in evidence.journals(of: "mainappd") { addRemovals(of: journal) }
    stores = last.sorted { (firstOrders[$0.key] ?? 0) < (firstOrders[$1.key] ?? 0) }.map {
      ($0.key, $0.value)
    }
    sortedLastOrders = lastOrders.values.sorted()
  }

  private mutating func addStores(
    of journal: JournalFile, _ evidence: Evidence, _ last: inout [[UInt8]: Store]
  ) {
    var orders: [Int64: (hash: [UInt8], atNs: Int64)] = [:]
    for record in journal.events(of: "guard") {
      if let push = record.event["incomingStored"]?["push"]?.integer, let order = orders[push],
        evidence.isCertain(record), last[order.hash].map({ $0.orderedNs < order.atNs }) ?? true
      {
        last[order.hash] = Store(orderedNs: order.atNs, row: record.row)
      }
      for directive in record.directives {
        guard let order = directive["storeIncoming"], let push = order["push"]?.integer,
          let hash = order["_0"]?["paymentHash"]?.text.flatMap({ Hexadecimal.decode($0) })
        else { continue }
        orders[push] = (hash, record.atNs)
        firstOrders[hash] = min(firstOrders[hash] ?? .max, record.atNs)
        lastOrders[hash] = max(lastOrders[hash] ?? .min, record.atNs)
      }
    }
  }

  /// The app's process may end between a removal and its record.
  private mutating func addRemovals(of journal: JournalFile) {
    var underWay: [[UInt8]] = []
    for record in journal.events(of: "incoming") {
      if let removed = record.event.payload("removed") {
        note(Self.hashes(removed), until: record.atNs)
        underWay = []
      } else if record.event["notRemoved"] != nil {
        note(underWay, until: record.atNs)
        underWay = []
      }
      underWay += record.directives.compactMap { $0.payload("remove") }.flatMap { Self.hashes($0) }
    }
    note(underWay, until: .max)
  }

  private static func hashes(_ list: JSONValue) -> [[UInt8]] {
    // Of records in the order, of payment hashes in the answer.
    list.items.compactMap { ($0["paymentHash"] ?? $0).text.flatMap { Hexadecimal.decode($0) } }
  }

  private mutating func note(_ hashes: [[UInt8]], until endNs: Int64) {
    for hash in hashes { removedUntil[hash] = max(removedUntil[hash] ?? .min, endNs) }
  }

  func mayBeRemoved(_ hash: [UInt8], storedNs: Int64) -> Bool { removedUntil[hash] ?? .min >= storedNs }

  /// At least so many payments were stored at a later time.
  func mayBeDisplaced(_ hash: [UInt8]) -> Bool {
    let first = firstOrders[hash] ?? .min
    let later = sortedLastOrders.count - sortedLastOrders.countOfThose(upTo: first)
    return later - ((lastOrders[hash] ?? .min) > first ? 1 : 0) >= Self.limit
  }
}

extension Evidence {
  /// A restored container lacks what the lost one had.
  fileprivate var recordsBeginNs: Int64 {
    let restored = wallet.isRestored ? wallet.claims.first.map(claimedNs) : nil
    return max(restored ?? .min, wallet.claims.last(where: \.isRaised).map(claimedNs) ?? .min)
  }
}

extension MissingJournals {
  /// The app removes records while it is connected, so under a claim; without that process's journal nothing shows
  /// which.
  fileprivate func removalsUnknownUntilNs(_ evidence: Evidence) -> Int64 {
    let claims = evidence.wallet.claims.filter { $0.role == "app" }
    var untilNs = Int64.min
    for (place, claim) in claims.enumerated() where !hasJournal(ofEpoch: claim.epoch) {
      let next = claims[(place + 1)...].first { $0.pid != claim.pid || $0.startTime != claim.startTime }
      untilNs = max(untilNs, next.map(evidence.claimedNs) ?? .max)
    }
    for journal in evidence.journals(of: "mainappd") where journal.hasGaps {
      untilNs = max(untilNs, journal.hasEnded ? journal.lastNs : .max)
    }
    return untilNs
  }
}

// Invariants 3 and 4: what was reported to a process as durable, or to the user, is in the wallet's database.
extension Checker {
  mutating func checkReports() {
    let ends = Set(evidence.wallet.sent.map(\.end))
    let splices = Set(evidence.wallet.splices.map { "\(transactionWords($0.txid)) \($0.state)" })
    for journal in evidence.journals {
      for record in journal.events(of: "guard") where evidence.isCertain(record) {
        guard let epoch = record.event.payload("claimed")?["epoch"]?.integer,
          evidence.wallet.claim(epoch) == nil
        else { continue }
        find(.claimGone, epoch, at: [record.row])
      }
      for record in journal.events(of: "node") where evidence.isCertain(record) {
        for directive in record.directives { checkReport(directive, ends, splices, record) }
      }
    }
  }

  private mutating func checkReport(
    _ directive: JSONValue, _ ends: Set<String>, _ splices: Set<String>, _ record: JournalRecord
  ) {
    /// The payment hash of such a report, if no row has it.
    func hash(of report: String, _ isThere: ([UInt8]) -> Bool) -> Substring? {
      guard let hash = directive[report]?["paymentHash"]?.text, Hexadecimal.decode(hash).map(isThere) != true
      else { return nil }
      return hash.prefix(12)
    }
    if let hash = hash(of: "invoiceStored", evidence.wallet.invoicesByHash.contains) {
      find(.invoiceGone, hash, at: [record.row])
    }
    if let hash = hash(of: "invoiceCancelled", evidence.wallet.cancelledByHash.contains) {
      find(.cancellationGone, hash, at: [record.row])
    }
    // A restored database lacks what the lost one had.
    if evidence.wallet.isRestored { return }
    if let hash = hash(of: "paymentOffered", evidence.wallet.sentByHash.contains) {
      find(.offerGone, hash, at: [record.row])
    }
    if let report = directive.payload("paymentEnded") {
      let payment = report["payment"] ?? .null
      let preimage = report["end"]?["paid"]?["preimage"]?.text
      let hash = payment["paymentHash"]?.text ?? "?"
      let end = SentEntry.end(
        hash, htlc: payment["htlc"]?.integer, preimage: preimage,
        failureCode: report["end"]?["failed"]?["code"]?.integer)
      if !ends.contains(end) {
        find(.paymentEndDiffers, hash.prefix(12), preimage == nil ? "failed" : "paid", at: [record.row])
      }
    }
    if let report = directive["spliceEnded"], let id = report["_0"]?.text, let end = report["_1"]?.text,
      !splices.contains("\(id) \(end)")
    {
      find(.spliceEndDiffers, id.prefix(12), end, at: [record.row])
    }
  }
}

extension SentEntry {
  /// How a payment ended.
  fileprivate static func end(
    _ paymentHash: String, htlc: Int64?, preimage: String?, failureCode: Int64?
  ) -> String {
    "\(paymentHash) \(htlc ?? -1) \(preimage ?? "failed") \(failureCode.map { "\($0)" } ?? "paid")"
  }

  fileprivate var end: String {
    Self.end(
      Hexadecimal.encode(paymentHash), htlc: htlc, preimage: preimage.map { Hexadecimal.encode($0) },
      failureCode: failureCode)
  }
}

// Remarks on the journals. A truncated last line is normal after a kill; other damage is missing evidence.
extension Checker {
  mutating func checkJournals() {
    for journal in evidence.journals {
      if journal.endsTorn { remark("\(journal.name) ends in the middle of a line: its process was killed") }
      let lost = journal.gaps.filter(\.isNoted).reduce(Int64(0)) { $0 &+ $1.count }
      if lost > 0 { remark("\(journal.name) lacks \(countWords(lost, "record")): its disk was full") }
    }
    remarkCleaned()
  }

  private mutating func remarkCleaned() {
    let gone = [
      missing.cleanedEpochs.isEmpty ? nil : "of epochs \(Self.list(missing.cleanedEpochs))",
      missing.cleanedRuns.isEmpty ? nil : "of lspd's starts \(Self.list(missing.cleanedRuns))",
    ].compactMap { $0 }
    guard !gone.isEmpty else { return }
    remark(
      "the journals \(gone.joined(separator: " and ")) were removed, as the app removes old ones: what only they show is not judged"
    )
  }

  private static func list(_ numbers: Set<Int64>) -> String {
    numbers.sorted().map { "\($0)" }.joined(separator: ", ")
  }
}

// Invariant 8: no secret is readable.
extension Checker {
  mutating func checkSecrets() {
    if evidence.seed?.count != 32 {
      remark(
        evidence.phone == nil
          ? "there is no wallet seed to search for"
          : "the wallet's seed is not in this phone's keychain: it was not searched for, and if it is not in a copy, the wallet is lost"
      )
    }
    for (place, secrets) in evidence.secretPlaces {
      for secret in secrets {
        switch evidence.secrets[secret].what {
        case .seed: find(.seedReadable, place, at: [.file(place)])
        case .pushKey: find(.pushKeyReadable, place, at: [.file(place)])
        case .preimage(let payment):
          find(.preimageReadable, payment.id, place, at: [.file(place), payment.row])
        }
      }
    }
    let shownNs = firstShown()
    for journal in evidence.journals + evidence.otherContainersJournals { checkSecrets(in: journal, shownNs) }
  }

  private mutating func checkSecrets(in journal: JournalFile, _ shownNs: [[UInt8]: Int64]) {
    // One finding for each secret, and for each line with a preimage.
    var said: Set<String> = []
    for hit in journal.secretHits {
      let secret = evidence.secrets[hit.secret].what
      if case .preimage(let payment) = secret {
        // lspd knows it from the wallet alone, perhaps by a frame that a full disk kept out of the ledger.
        guard journal.process != "lspd", let record = hit.record,
          record.atNs < shownNs[payment.preimage ?? []] ?? .max,
          said.insert("\(payment.id) \(record.line)").inserted
        else { continue }
        find(.preimageInJournal, payment.id, at: [record.row, payment.row])
        continue
      }
      let name = if case .seed = secret { "seed" } else { "push key" }
      guard said.insert(name).inserted else { continue }
      find(.keyInJournal, name, journal.name, at: [.journal(journal.name)])
    }
  }

  /// When the peer first received each preimage, by its ledger or its journal.
  private func firstShown() -> [[UInt8]: Int64] {
    var shown: [[UInt8]: Int64] = [:]
    for frame in frames where frame.entry.isIn {
      guard case .step(.fulfil(_, let preimage))? = frame.message else { continue }
      shown[preimage] = shown[preimage] ?? frame.entry.atNs
    }
    for hit in evidence.journals(of: "lspd").flatMap(\.secretHits) {
      guard case .preimage(let payment) = evidence.secrets[hit.secret].what, let preimage = payment.preimage,
        let record = hit.record
      else { continue }
      shown[preimage] = min(shown[preimage] ?? .max, record.atNs)
    }
    return shown
  }
}
