// The ledger as evidence (invariant 4): nothing missing, nothing out of order, every row in its place.
extension Hearing {
  mutating func checkLedgerRows() {
    let ledger = evidence.ledger
    checkNumbers("connections", ledger.connections.map(\.id))
    checkNumbers("frames", ledger.frames.map(\.entry.id))
    checkNumbers("backups", ledger.backups.map(\.revision))
    checkNumbers("pushes", ledger.pushes.map(\.id))
    checkNumbers("runs", ledger.runs.map(\.id))
    checkNumbers("losses", ledger.losses.map(\.id))
    checkNumbers("splices", ledger.splices.map(\.id))
    for (table, last) in [
      ("frames", ledger.frames.last?.entry.id), ("backups", ledger.backups.last?.revision),
      ("pushes", ledger.pushes.last?.id), ("runs", ledger.runs.last?.id), ("losses", ledger.losses.last?.id),
      ("elsewhere", ledger.elsewhere.last?.id), ("splices", ledger.splices.last?.id),
    ] {
      checkHighest(table, last, ledger.highestNumbers, "ledger")
    }
    for table in ledger.highestNumbers.keys.sorted()
    where !["frames", "backups", "pushes", "runs", "losses", "fence", "elsewhere", "splices"].contains(table)
    {
      find(4, "SQLite counts rows of a table \(table) that is not numbered", ["ledger sqlite_sequence"])
    }
    if ledger.channels.map(\.one) != [1] {
      find(
        4, "The ledger has \(ledger.channels.count) rows of its one channel, or another key",
        ["ledger channel"])
    }
    for loss in ledger.losses {
      find(
        2,
        "On connection \(loss.connection) the state of \(loss.whose == "wallet" ? "the wallet" : "the peer") was behind",
        [loss.evidence])
    }
    checkFrameRows()
    checkBackups()
    let heard = Set(frames.filter(\.entry.isIn).map(\.entry.connection))
    for connection in ledger.connections {
      checkTimes(of: connection, isHeard: heard.contains(connection.id))
    }
    checkRunTimes()
  }

  private mutating func checkNumbers(_ table: String, _ numbers: [Int64]) {
    for (index, number) in numbers.enumerated() where number != Int64(index) + 1 {
      find(
        4, "In front of row \(number) of the ledger's \(table) a row is missing",
        ["ledger \(table) \(number)"])
      return
    }
  }

  private mutating func checkFrameRows() {
    var previous: FrameEntry?
    var features: [String: [UInt8]] = [:]
    for frame in frames {
      let entry = frame.entry
      if let previous, entry.atNs < previous.atNs {
        find(
          4, "Frame \(entry.id) is stamped before frame \(previous.id)", [entry.evidence, previous.evidence])
      }
      previous = entry
      if !["in", "out"].contains(entry.direction) || !(0...1).contains(entry.acted)
        || (!entry.isIn && !entry.isActedOn) || (entry.whyNot != nil) != (entry.acted == 0)
      {
        find(
          4,
          "Frame \(entry.id) is \(entry.direction), acted \(entry.acted), because \(entry.whyNot ?? "-"), which "
            + "no frame is", [entry.evidence])
      }
      guard let connection = evidence.ledger.connection(entry.connection) else {
        find(
          4, "Frame \(entry.id) belongs to connection \(entry.connection), which is not there",
          [entry.evidence])
        continue
      }
      // What another node offers is its own business.
      let isOurs = !entry.isIn || connection.verdict != "visitor"
      if case .greeting(_, _, let all, _)? = frame.message, isOurs {
        let said = SpliceFeatures.without(all)
        if let earlier = features[entry.direction], earlier != said {
          find(4, "Frame \(entry.id) offers other features than the inits before it", [entry.evidence])
        }
        // What the project's own peer always offers: to keep backups (bit 43).
        if !entry.isIn, said.count < 6 || said[said.count - 6] & 0x08 == 0 {
          find(4, "Frame \(entry.id) does not offer to keep backups", [entry.evidence])
        }
        features[entry.direction] = said
      }
      if entry.atNs < connection.openedNs || (entry.isActedOn && entry.atNs > connection.closedNs ?? .max) {
        find(
          4, "Frame \(entry.id) lies outside the life of its connection",
          [entry.evidence, connection.evidence])
      }
    }
  }

  /// Every backup is the `peer_storage` frame that brought it.
  private mutating func checkBackups() {
    var stored: [(entry: FrameEntry, blob: [UInt8])] = []
    for frame in frames where frame.entry.isIn && frame.entry.isActedOn {
      if case .storage(let blob)? = frame.message { stored.append((frame.entry, blob)) }
    }
    for (index, backup) in evidence.ledger.backups.enumerated() {
      guard index < stored.count, stored[index].blob == backup.blob, stored[index].entry.atNs == backup.atNs,
        stored[index].entry.connection == backup.connection
      else {
        find(4, "Backup \(backup.revision) is not what the wallet stored", [backup.evidence])
        continue
      }
    }
    if stored.count > evidence.ledger.backups.count {
      find(
        4, "The wallet stored \(stored.count) backups, and \(evidence.ledger.backups.count) are there",
        ["ledger backups"])
    }
  }

  private mutating func checkTimes(of connection: ConnectionEntry, isHeard: Bool) {
    let judged = connection.judgedNs ?? connection.openedNs
    if judged < connection.openedNs || connection.closedNs ?? .max < judged {
      find(4, "Connection \(connection.id) was opened, judged and closed out of order", [connection.evidence])
    }
    if (connection.verdict == nil) != (connection.judgedNs == nil)
      || (connection.closedNs == nil) != (connection.closedReason == nil)
    {
      find(4, "Connection \(connection.id) is half judged or half closed", [connection.evidence])
    }
    if connection.verdict != nil, !isHeard {
      find(4, "Connection \(connection.id) was judged without an init", [connection.evidence])
    }
  }

  /// A run of lspd is what its journal says, and lies behind the run before it.
  private mutating func checkRunTimes() {
    let journals = evidence.journals(of: "lspd")
    let byPid = Dictionary(grouping: journals, by: \.pid)
    let starts = evidence.ledger.runs.map(\.startedNs)
    for (index, run) in evidence.ledger.runs.enumerated() {
      let later = index + 1 < starts.count ? starts[index + 1] : .max
      let journal = (byPid[run.pid] ?? []).first { $0.isOf(run) }
      let isUntold = untold.cleaned.runs.contains(run.id) || untold.missingRuns.contains(run.id)
      if journal == nil, isUntold, run.startedNs <= later { continue }
      guard let journal, run.startedNs <= later, run.isLegacy == 0 || run.isLegacy == 1 else {
        find(4, "Run \(run.id) of the peer is not the run of any journal", [run.evidence])
        continue
      }
      let configured = journal.configurations(of: "peer").first?["isLegacy"]
      if let configured, configured.isTrue != (run.isLegacy == 1) {
        find(4, "Run \(run.id) of the peer says another way of fencing than its journal", [run.evidence])
      }
    }
    if journals.filter({ !$0.configurations(of: "peer").isEmpty }).count > evidence.ledger.runs.count {
      find(4, "The peer ran more often than its ledger says", ["ledger runs"])
    }
  }
}
