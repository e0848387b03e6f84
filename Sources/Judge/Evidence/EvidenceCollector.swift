import CSodium
import Ground
import Platform

/// Reads all parts of one home as of one moment.
struct EvidenceCollector {
  let home: String
  /// The App Group's directory.
  let container: String
  /// The home with the peer's ledger and journals.
  let firstHome: String
  /// The wallet is not the first of the ledger.
  private let isServedElsewhere: Bool
  let visits = Visits()
  private static let attempts = 200

  /// `peersHome`: the phone's wallet is one of several of the peer in that home.
  init(home: String, peersHome: String? = nil) {
    self.home = home
    container = home + "/AppGroup"
    firstHome = peersHome ?? home
    isServedElsewhere = peersHome != nil
  }

  /// For another container of the same wallet: `path` is the container, or a home with it.
  init(other path: String, of first: String) {
    let isHome = FileStamp(path + "/AppGroup/node.sqlite") != nil
    home = isHome ? path : first
    container = isHome ? path + "/AppGroup" : path
    firstHome = first
    isServedElsewhere = false
  }

  private var ledgerPath: String { firstHome + "/lsp/ledger.sqlite" }
  private var walletPath: String { container + "/node.sqlite" }

  func collect(_ progress: (String) -> Void) throws(JudgeError) -> Evidence {
    guard FileStamp(walletPath) != nil else {
      throw .missing(part: "database of the wallet", path: walletPath)
    }
    progress("reading the databases")
    var evidence = try steadily(read)
    var heads = journalHeads()
    var boots = evidence.wallet.boots
    // Of all journals, as the claims may lack one.
    boots.insert(
      heads.filter { !$0.boot.isEmpty }.sorted { $0.startedWallNs < $1.startedWallNs }.map(\.boot))
    for place in heads.indices {
      let beginNs = boots.beginNs(of: heads[place].boot)
      heads[place].start?.move(by: beginNs)
    }
    heads.sort { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
    evidence.takenAtNs? &+= boots.nowBeginNs
    evidence.certainUntilNs? &+= boots.nowBeginNs
    let sealed = seed(heads)
    evidence.seed = sealed.bytes
    evidence.secrets = secrets(evidence)
    let search = SecretSearch(evidence.secrets.map(\.bytes))
    evidence.secretPlaces = try places(evidence.walletFile, search)
    evidence.walletFile = nil
    readJournals(heads, boots, search, &evidence, progress)
    if evidence.takenAtNs != nil { evidence.remarks.append("the daemons were running: this is a snapshot") }
    evidence.remarks += [sealed.remark].compactMap { $0 }
    if FileStamp(home + "/os") != nil { evidence.phone = PhoneEvidence(directory: home + "/os", boots) }
    evidence.noteEarlyEnds()
    evidence.isCopyOfRunningPhone = evidence.takenAtNs == nil && isCopyOfRunningPhone(evidence)
    return evidence
  }

  // MARK: The databases

  /// Reads again while a database that nobody had open changes, or `read` returns nil: a step could be in only one of
  /// the databases, and look like a violation.
  private func steadily<Value>(
    _ read: ((String) throws(JudgeError) -> SQLiteFile) throws(JudgeError) -> Value?
  ) throws(JudgeError) -> Value {
    for _ in 0..<Self.attempts {
      var files: [SQLiteFile] = []
      let result = Result { () throws(JudgeError) in
        try read { (path) throws(JudgeError) in
          files.append(try SQLiteFile(path))
          return files[files.count - 1]
        }
      }
      guard files.allSatisfy(\.isOfOneMoment) else { continue }
      if let value = try result.get() { return value }
    }
    throw .unstable(home: home)
  }

  /// Reads the wallet before and after the ledger; nil if it changed in between.
  private func read(
    _ open: (String) throws(JudgeError) -> SQLiteFile
  ) throws(JudgeError) -> Evidence? {
    let begunAtNs = Kernel.now.nanoseconds
    let walletFile = try open(walletPath)
    // From here on its rows are those of this moment.
    let hasTables = try !walletFile.tables().isEmpty
    let ledgerFile = FileStamp(ledgerPath) == nil ? nil : try open(ledgerPath)
    let ledger = try LedgerEvidence(ledgerFile, wallet: try numberOfWallet(in: ledgerFile), visits)
    // If the peer has frames, an empty wallet database is a loss.
    if !hasTables, ledger.frames.isEmpty { throw .neverBegun(path: walletPath) }
    let runs = ledger.runs.map(\.boot)
    let wallet = try WalletEvidence(walletFile, runs: runs, visits)
    var evidence = Evidence(home: home, wallet: wallet, ledger, ledgerFile: ledgerFile, visits)
    evidence.walletFile = walletFile
    let isRecordsFileLive = try readRecords(into: &evidence.records, open)
    if walletFile.isLive || ledgerFile?.isLive == true || isRecordsFileLive {
      guard try WalletEvidence(try open(walletPath), runs: runs, visits).stamp == wallet.stamp else {
        return nil
      }
      evidence.takenAtNs = Kernel.now.nanoseconds
      evidence.certainUntilNs = begunAtNs
    }
    return evidence
  }

  /// Of another home's peer the wallet is the one of this phone's node.
  private func numberOfWallet(in ledger: SQLiteFile?) throws(JudgeError) -> Int64 {
    guard isServedElsewhere else { return 1 }
    guard let node = seed(journalHeads()).bytes.flatMap({ NodeIdentity.of(seed: $0) }),
      let found = try LedgerWallet.all(ledger).first(where: { $0.node == node })
    else { throw .noWallet(path: ledgerPath) }
    return found.id
  }

  /// True if a process has the database of the records open.
  private func readRecords(
    into records: inout StoredRecords, _ open: (String) throws(JudgeError) -> SQLiteFile
  ) throws(JudgeError) -> Bool {
    let path = container + "/incoming.sqlite"
    var isLive = false
    do throws(JudgeError) {
      if FileStamp(path) != nil {
        let file = try open(path)
        isLive = file.isLive
        // The extension may have made the file, and not the table yet.
        if try file.tables().contains("incoming") {
          records.hashes = Set(
            try file.rows(of: "incoming", by: "number") { (row: HashEntry) in row.paymentHash })
        }
      }
    } catch { records.hindrance = "\(path) cannot be read, so its records are not judged" }
    // Listed last: the extension renames a damaged database before it makes another.
    let names = Kernel.names(of: container) ?? []
    if let name = names.filter({ $0.hasPrefix("incoming.sqlite.damaged-") }).min() {
      records.hindrance = "\(container)/\(name) was set aside as damaged, so the records are not judged"
    }
    return isLive
  }

  /// Nil without a ledger.
  func announcedPayments(boundNs: Int64) throws(JudgeError) -> AnnouncedPayments.Row? {
    guard FileStamp(ledgerPath) != nil else { return nil }
    return try steadily { (open) throws(JudgeError) in
      let ledger = try open(ledgerPath)
      let ofPhone = try ledger.hasWallets("pushes") ? "wallet = 1" : "TRUE"
      // The peer may hear of the delivery only after the payment.
      return try ledger.rows(
        of: "pushes",
        """
        SELECT count(DISTINCT push.payment_hash) AS count, count(DISTINCT paid.payment_hash) AS received_in_time
        FROM (SELECT * FROM pushes WHERE outcome = 'delivered' AND \(ofPhone)) push
        LEFT JOIN (SELECT * FROM payments WHERE state = 'paid' AND \(ofPhone)) paid
          ON paid.payment_hash = push.payment_hash
          AND paid.settled_at_ns BETWEEN push.at_ns AND coalesce(push.last_at_ns, push.at_ns) + \(boundNs)
        """
      ) { (row: AnnouncedPayments.Row) in row }.first
    }
  }

  // MARK: Secrets

  private func seed(_ heads: [JournalHead]) -> (bytes: [UInt8]?, remark: String?) {
    let sealed = SealedSeed.ofWallet(among: SealedSeed.all(home: home), heads)
    return (sealed.seed?.bytes ?? EvidenceFile.whole(home + "/Keychain/wallet-seed"), sealed.remark)
  }

  private func secrets(_ evidence: Evidence) -> [(what: Evidence.Secret, bytes: [UInt8])] {
    let pushKeys =
      SealedSeed.all(home: home, account: SealedSeed.pushKey).map(\.bytes)
      + [EvidenceFile.whole("\(home)/Keychain/\(SealedSeed.pushKey)") ?? []]
    let keys: [(what: Evidence.Secret, bytes: [UInt8])] =
      [(.seed, evidence.seed ?? [])] + pushKeys.map { (.pushKey, $0) }
    let preimages = evidence.ledger.payments.map {
      (what: Evidence.Secret.preimage($0), bytes: $0.preimage ?? [])
    }
    return keys.filter { $0.bytes.count == 32 } + preimages.filter { $0.bytes.count >= 16 }
  }

  /// Searches the raw file with its log, which may hold deleted rows; of a live one its rows.
  private func places(
    _ wallet: SQLiteFile?, _ search: SecretSearch
  ) throws(JudgeError) -> [(place: String, secrets: [Int])] {
    var places: [(place: String, secrets: [Int])] = []
    // The judge has closed the database of the records again: reading its file drops no lock of this process.
    var names = ["heartbeat", "incoming.sqlite", "incoming.sqlite-wal"]
    if let wallet, wallet.isLive {
      places.append(("node.sqlite", try secretsInRows(of: wallet, search)))
    } else {
      names = ["node.sqlite", "node.sqlite-wal"] + names
    }
    places += names.map { ($0, search.found(in: "\(container)/\($0)")) }
    return places.filter { !$0.secrets.isEmpty }
  }

  private func secretsInRows(of file: SQLiteFile, _ search: SecretSearch) throws(JudgeError) -> [Int] {
    var found: Set<Int> = []
    for table in try file.tables() {
      let name = table.replacing("\"", with: "\"\"")
      try file.eachRow(table, statement: "SELECT * FROM \"\(name)\"") { (row) throws(JudgeError) in
        for cell in row.cells {
          switch cell {
          case .text(let text): found.formUnion(search.hits(in: Array(text.utf8)).map(\.secret))
          case .blob(let bytes): found.formUnion(search.hits(in: bytes).map(\.secret))
          case .null, .integer, .real: break
          }
        }
      }
    }
    return found.sorted()
  }
}

/// A journal with its first line.
struct JournalHead {
  let path: String
  let name: String
  var start: JournalRecord?

  var process: String { start?.body["process"]?.text ?? "" }
  var boot: String { start?.body["boot"]?.text ?? "" }
  var startedNs: Int64 { start?.atNs ?? .min }
  var startedWallNs: Int64 { start?.wallNs ?? .min }
  var arguments: [String] { (start?.body["arguments"]?.items ?? []).compactMap(\.text) }

  init(_ directory: String, _ name: String) {
    path = "\(directory)/\(name)"
    self.name = name
    var start: JournalRecord?
    _ = try? EvidenceFile(path).readLines { line in
      start = JournalRecord(file: name, line: 1, bytes: Array(line))
      return start == nil
    }
    self.start = start
  }
}

// Journals are read twice: first their heads, which determine the secrets to search for, then line by line.
extension EvidenceCollector {
  /// Sorted by start; files without a valid line come first. The peer's journals are beside its ledger.
  private func journalHeads() -> [JournalHead] {
    let peers = firstHome == home ? [] : heads(in: firstHome + "/journal").filter { $0.process == "lspd" }
    return (heads(in: home + "/journal") + peers).sorted { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
  }

  private func heads(in directory: String) -> [JournalHead] {
    (Kernel.names(of: directory) ?? []).filter { $0.hasSuffix(".jsonl") }.map { JournalHead(directory, $0) }
  }

  private func readJournals(
    _ heads: [JournalHead], _ boots: Boots, _ search: SecretSearch, _ evidence: inout Evidence,
    _ progress: (String) -> Void
  ) {
    var files: [JournalFile] = []
    for (place, head) in heads.enumerated() {
      progress("reading journal \(place + 1) of \(heads.count)")
      do throws(EvidenceFile.Problem) {
        let file = JournalFile(
          head.name, start: head.start, until: evidence.takenAtNs, bootBeginNs: boots.beginNs(of: head.boot),
          search, visits)
        // A file without a header may be one that cannot be read.
        if let file {
          try file.read(head.path)
        } else {
          _ = try EvidenceFile(head.path).readLines { _ in true }
        }
        if let file {
          files.append(file)
          if let form = file.otherForm {
            evidence.unreadJournals.append(
              (head.name, "it has form \(form), and this program judges form \(JournalFile.form)"))
          }
        } else {
          evidence.remarks.append("\(head.path) has no journal header")
        }
      } catch { evidence.unreadJournals.append((head.name, error.words)) }
    }
    endInGaps(files)
    evidence.take(files)
  }

  /// Whether the newest journal of lspd or iosd has no end and was copied: the file of a copy is newer than its last line,
  /// or than its own content.
  private func isCopyOfRunningPhone(_ evidence: Evidence) -> Bool {
    ["lspd", "iosd"].contains { program in
      guard let journal = evidence.journals(of: program).last, !journal.hasEnded,
        let stamp = FileStamp("\(program == "lspd" ? firstHome : home)/journal/\(journal.name)")
      else { return false }
      // A copy without the original's times. The phone's own clock may be off.
      let isNew = program == "lspd" && stamp.modifiedNanoseconds &- journal.lastWallNs > stepSlackNs
      return isNew || stamp.changedNanoseconds > stamp.modifiedNanoseconds
    }
  }

  /// A process killed while the disk was full could not note its lost last lines, but another journal notes the full
  /// disk.
  private func endInGaps(_ files: [JournalFile]) {
    let noted = files.flatMap(\.gaps).filter(\.isNoted)
    for file in files where !file.hasEnded {
      // Its own gap is over at its last line.
      if let gap = noted.first(where: { $0.fromNs <= file.lastNs && file.lastNs < $0.toNs }) {
        file.endInGap(gap)
      }
    }
  }
}

/// A secret in the keychain, as the wallet's seed, opened with the phone's key as docs/protocols.md describes.
struct SealedSeed {
  static let seed = "wallet-seed"
  static let pushKey = "push-key"

  let group: String
  let bytes: [UInt8]

  /// All items of that account that can be opened, sorted by file name.
  static func all(home: String, account: String = seed) -> [SealedSeed] {
    let directory = home + "/Keychain/items"
    guard let key = EvidenceFile.whole(home + "/os/keychain.key"),
      key.count == Int(crypto_aead_chacha20poly1305_ietf_KEYBYTES)
    else { return [] }
    let names = Kernel.names(of: directory) ?? []
    return names.filter { $0.hasSuffix(".item") }.compactMap { name in
      guard let bytes = EvidenceFile.whole("\(directory)/\(name)"), let item = JSONValue(parsing: bytes),
        item["account"]?.text == account,
        let group = item["group"]?.text, let seed = value(of: item, account: account, key: key)
      else { return nil }
      return SealedSeed(group: group, bytes: seed)
    }
  }

  /// The wallet's seed, by the access group of its last start, with a remark if there are several. Nil if there is
  /// none: then the seed is in a file.
  static func ofWallet(among seeds: [SealedSeed], _ journals: [JournalHead]) -> (
    seed: SealedSeed?, remark: String?
  ) {
    let group = journals.reversed().lazy.compactMap(group(of:)).first
    let own = group.map { group in seeds.first { $0.group == group } } ?? seeds.first
    guard seeds.count > 1 else { return (own, nil) }
    let groups = seeds.map(\.group).joined(separator: ", ")
    let choice =
      group == nil
      ? "no journal names the wallet's group, so the first seed was used"
      : own.map { "that of \($0.group) is the wallet's" } ?? "none is in the wallet's group"
    return (own, "the keychain has \(seeds.count) seeds, in \(groups): \(choice)")
  }

  /// The access group on a wallet process's command line.
  private static func group(of journal: JournalHead) -> String? {
    guard journal.process != "iosd",
      let place = journal.arguments.firstIndex(of: "--keychain-group"), place + 1 < journal.arguments.count
    else { return nil }
    return journal.arguments[place + 1]
  }

  private static func value(of item: JSONValue, account: String, key: [UInt8]) -> [UInt8]? {
    guard let group = item["group"]?.text, let protection = item["protection"]?.text,
      let nonce = item["nonce"]?.text.flatMap(Hexadecimal.decode),
      let sealed = item["sealed"]?.text.flatMap(Hexadecimal.decode),
      nonce.count == Int(crypto_aead_chacha20poly1305_ietf_NPUBBYTES),
      sealed.count >= Int(crypto_aead_chacha20poly1305_ietf_ABYTES)
    else { return nil }
    let header = Array("\(group)\n\(account)\n\(protection)".utf8)
    var plain = [UInt8](repeating: 0, count: sealed.count)
    var count: UInt64 = 0
    let result = crypto_aead_chacha20poly1305_ietf_decrypt(
      &plain, &count, nil, sealed, UInt64(sealed.count), header, UInt64(header.count), nonce, key)
    return result == 0 ? Array(plain.prefix(Int(count))) : nil
  }
}

/// The wallet's database in one read transaction.
struct WalletEvidence {
  /// The container's id.
  let container: [UInt8]?
  let claims: Rows<ClaimEntry>
  let writes: Rows<NodeWriteEntry>
  let channels: Rows<ChannelEntry>
  let htlcs: Rows<HTLCEntry>
  let invoices: Rows<InvoiceEntry>
  let cancelled: Rows<HashEntry>
  let received: Rows<ReceivedEntry>
  let sent: Rows<SentEntry>
  let splices: Rows<SpliceEntry>
  private let claimsByEpoch: RowIndex<Int64, ClaimEntry>
  let invoicesByHash: RowIndex<[UInt8], InvoiceEntry>
  let cancelledByHash: RowIndex<[UInt8], HashEntry>
  let receivedByHash: RowIndex<[UInt8], ReceivedEntry>
  let sentByHash: RowIndex<[UInt8], SentEntry>
  let sentByHTLC: RowIndex<Int64, SentEntry>
  /// The sums of the writes of an epoch.
  private let sums: [Int64: WriteSums]
  /// Restored from the peer's backup: rows that journals show may be lost.
  let isRestored: Bool
  /// Of the claims and of lspd's starts.
  let boots: Boots

  /// Without a file: a wallet of which only the peer's ledger is known. `runs`: the boots of lspd's starts.
  init(_ file: SQLiteFile?, runs: [String] = [], _ visits: Visits) throws(JudgeError) {
    let tables = TableReader(file, visits)
    container = try tables.read("meta", by: "key").first { (row: MetaEntry) in row.key == "container" }?.value
    let claimed: Rows<ClaimEntry> = try tables.read("claims", by: "epoch")
    let boots = Boots(runs: runs, claims: claimed.map(\.boot))
    self.boots = boots
    claims = Rows(claimed.map { $0.moved(by: boots.beginNs(of: $0.boot)) }, visits)
    let begins = Dictionary(claimed.map { ($0.epoch, boots.beginNs(of: $0.boot)) }) { first, _ in first }
    writes = try tables.read("node_writes", by: "id") { (row: NodeWriteEntry) in
      row.read(movedBy: { begins[$0] ?? 0 })
    }
    channels = try tables.read("channels", by: "id")
    htlcs = try tables.read("htlcs", by: "direction, id")
    invoices = try tables.read("invoices", by: "rowid")
    cancelled = try tables.read("cancelled_invoices", by: "payment_hash")
    received = try tables.read("received_payments", by: "id")
    sent = try tables.read("outgoing_payments", by: "id")
    splices = try tables.read("splices", by: "id")
    claimsByEpoch = claims.index { $0.epoch }
    invoicesByHash = invoices.index { $0.paymentHash }
    cancelledByHash = cancelled.index { $0.paymentHash }
    receivedByHash = received.index { $0.paymentHash }
    sentByHash = sent.index { $0.paymentHash }
    sentByHTLC = sent.index { $0.htlc }
    sums = WriteSums.byEpoch(writes)
    isRestored = writes.contains { $0.summary?.isRestored ?? false }
  }

  func claim(_ epoch: Int64) -> ClaimEntry? { claimsByEpoch.first(epoch) }

  func sum(of epoch: Int64) -> WriteSums { sums[epoch] ?? WriteSums() }

  /// Changes with every step: equal stamps, equal states.
  var stamp: [Int64] { [claims.last?.epoch ?? 0, writes.last?.id ?? 0] }
}

private struct MetaEntry: Decodable {
  let key: String
  let value: [UInt8]
}
