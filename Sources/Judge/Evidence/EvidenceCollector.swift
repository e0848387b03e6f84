import CSodium
import Glibc
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
  var journalPath: String { home + "/journal" }
  private var phonePath: String { home + "/os" }

  func collect(_ progress: (String) -> Void) throws(JudgeError) -> Evidence {
    guard FileStamp(walletPath) != nil else {
      throw .missing(part: "database of the wallet", path: walletPath)
    }
    progress("reading the databases")
    let moment = try oneMoment()
    var heads = journalHeads()
    let boots = boots(moment.wallet.boots, heads)
    for place in heads.indices where heads[place].startedNs != .min {
      heads[place].startedNs &+= boots.beginNs(of: heads[place].boot)
    }
    heads.sort { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
    let nowBeginNs = boots.nowBeginNs
    let takenAtNs = moment.takenAtNs.map { $0 &+ nowBeginNs }
    var secrets = secrets(moment, heads)
    let search = SecretSearch(secrets.bytes)
    secrets.places = try places(moment, search)
    let journals = journals(heads, boots, until: takenAtNs, search, progress)
    var remarks = journals.foreign.map { "\(journalPath)/\($0) has no journal header" }
    if takenAtNs != nil { remarks.append("the daemons were running: this is a snapshot") }
    secrets.remark.map { remarks.append($0) }
    let hasPhone = FileStamp(phonePath) != nil
    var evidence = Evidence(
      home: home, moment, journals, secrets,
      phone: hasPhone ? PhoneEvidence(directory: phonePath, boots) : nil, remarks: remarks,
      certainUntilNs: takenAtNs.map { _ in moment.begunAtNs &+ nowBeginNs }, visits)
    evidence.isCopyOfRunningPhone = takenAtNs == nil && isCopyOfRunningPhone(journals.files)
    return evidence
  }

  // MARK: The databases

  struct Moment {
    let wallet: WalletEvidence
    let ledger: LedgerEvidence
    let hasLedger: Bool
    let records: StoredRecords
    let ledgerSource: LedgerSource?
    fileprivate let walletSource: Source
    fileprivate let walletFile: SQLiteFile
    /// Keeps the copies until the moment is released.
    fileprivate let scratch: Scratch
    /// The monotonic clock, if a database was in use: later journal records are about a later moment.
    let takenAtNs: Int64?
    let begunAtNs: Int64
  }

  /// Reads the wallet before and after the ledger, until nothing changed in between. Otherwise a step could be in
  /// only one of them, and look like a violation.
  private func oneMoment() throws(JudgeError) -> Moment {
    let hasLedger = FileStamp(ledgerPath) != nil
    for _ in 0..<Self.attempts {
      let scratch = try Scratch()
      let begunAtNs = monotonicNanoseconds()
      guard let wallet = try source(walletPath, "node.sqlite", scratch) else { continue }
      let walletFile = try SQLiteFile(path: wallet.path, isLive: wallet.isOpened, of: walletPath)
      // From here on its rows are those of this moment.
      let hasTables = try !walletFile.tables().isEmpty
      let ledger = hasLedger ? try ledgerSource(scratch) : nil
      if hasLedger, ledger == nil { continue }
      let ledgerFile = try ledger.map { (source) throws(JudgeError) in
        try SQLiteFile(path: source.path, isLive: source.isOpened, of: ledgerPath)
      }
      let number = try numberOfWallet(in: ledgerFile)
      let ledgerEvidence = try LedgerEvidence(ledgerFile, wallet: number, visits)
      // If the peer has frames, an empty wallet database is a loss.
      if !hasTables, ledgerEvidence.frames.isEmpty { throw .neverBegun(path: walletPath) }
      let runs = ledgerEvidence.runs.map(\.boot)
      let before = try WalletEvidence(walletFile, runs: runs, visits)
      guard let records = try storedRecords(scratch) else { continue }
      let isLive = wallet.isLive || ledger?.isLive == true || records.isLive
      if isLive {
        guard let again = try source(walletPath, "node-again.sqlite", scratch) else { continue }
        let after = try WalletEvidence(
          try SQLiteFile(path: again.path, isLive: again.isOpened, of: walletPath), runs: runs, visits)
        guard after.stamp == before.stamp else { continue }
      }
      return Moment(
        wallet: before, ledger: ledgerEvidence, hasLedger: hasLedger, records: records,
        ledgerSource: ledgerFile.map { LedgerSource($0, in: scratch) }, walletSource: wallet,
        walletFile: walletFile,
        scratch: scratch, takenAtNs: isLive ? monotonicNanoseconds() : nil, begunAtNs: begunAtNs)
    }
    throw .unstable(home: home)
  }

  /// Of another home's peer the wallet is the one of this phone's node.
  private func numberOfWallet(in ledger: SQLiteFile?) throws(JudgeError) -> Int64 {
    guard isServedElsewhere else { return 1 }
    guard let node = seed(journalHeads()).bytes.flatMap({ NodeIdentity.of(seed: $0) }),
      let found = try LedgerWallet.all(ledger).first(where: { $0.node == node })
    else { throw .noWallet(path: ledgerPath) }
    return found.id
  }

  /// The peer's pushes and payments alone, as frames are far more; nil without a ledger.
  func announcements() throws(JudgeError) -> (pushes: Rows<PushEntry>, payments: Rows<PaymentEntry>)? {
    guard FileStamp(ledgerPath) != nil else { return nil }
    for _ in 0..<Self.attempts {
      let scratch = try Scratch()
      guard let ledger = try ledgerSource(scratch) else { continue }
      let tables = TableReader(
        try SQLiteFile(path: ledger.path, isLive: ledger.isOpened, of: ledgerPath), wallet: 1, visits)
      return (try tables.read("pushes", by: "id"), try tables.read("payments", by: "id"))
    }
    throw .unstable(home: home)
  }

  struct Source {
    let path: String
    /// Others may change it meanwhile.
    let isLive: Bool
    /// It is read where it is; else it is a copy.
    var isOpened: Bool
  }

  /// A database may be in use at any time: its copy counts as live.
  private func ledgerSource(_ scratch: Scratch) throws(JudgeError) -> Source? {
    try source(ledgerPath, "ledger.sqlite", scratch)
  }

  /// Nil if it changed while it was being copied.
  func source(_ path: String, _ name: String, _ scratch: Scratch) throws(JudgeError) -> Source? {
    if LiveFiles.isInUse(path) { return Source(path: path, isLive: true, isOpened: true) }
    return try scratch.copy(path, as: name).map { Source(path: $0, isLive: false, isOpened: false) }
  }

  // MARK: Secrets

  struct Secrets {
    fileprivate(set) var seed: [UInt8]?
    fileprivate(set) var all: [Evidence.Secret] = []
    fileprivate var bytes: [[UInt8]] = []
    fileprivate(set) var places: [(place: String, secrets: [Int])] = []
    fileprivate var remark: String?
  }

  private func seed(_ heads: [JournalHead]) -> (bytes: [UInt8]?, remark: String?) {
    let sealed = SealedSeed.ofWallet(among: SealedSeed.all(home: home), heads)
    return (sealed.seed?.bytes ?? EvidenceFile.whole(home + "/Keychain/wallet-seed"), sealed.remark)
  }

  private func secrets(_ moment: Moment, _ heads: [JournalHead]) -> Secrets {
    var secrets = Secrets()
    (secrets.seed, secrets.remark) = seed(heads)
    if let seed = secrets.seed, seed.count == 32 {
      secrets.all.append(.seed)
      secrets.bytes.append(seed)
    }
    let pushKeys =
      SealedSeed.all(home: home, account: SealedSeed.pushKey).map(\.bytes)
      + [EvidenceFile.whole("\(home)/Keychain/\(SealedSeed.pushKey)") ?? []]
    for key in pushKeys where key.count == 32 {
      secrets.all.append(.pushKey)
      secrets.bytes.append(key)
    }
    for payment in moment.ledger.payments {
      guard let preimage = payment.preimage, preimage.count >= 16 else { continue }
      secrets.all.append(.preimage(payment))
      secrets.bytes.append(preimage)
    }
    return secrets
  }

  /// Searches the raw file with its log, which may hold deleted rows. A live file is opened only by SQLite: closing
  /// it elsewhere would drop SQLite's locks in this process.
  private func places(
    _ moment: Moment, _ search: SecretSearch
  ) throws(JudgeError) -> [(place: String, secrets: [Int])] {
    var places: [(place: String, secrets: [Int])] = []
    let path = moment.walletSource.path
    if moment.walletSource.isLive {
      places.append(("node.sqlite", try secretsInRows(of: moment.walletFile, search)))
    } else {
      for suffix in ["", "-wal", "-journal"] {
        places.append(("node.sqlite\(suffix)", secretsInFile(path + suffix, search)))
      }
    }
    places.append(("heartbeat", secretsInFile(container + "/heartbeat", search)))
    // The judge has closed this database again: reading its file drops no lock of this process.
    for suffix in ["", "-wal"] {
      places.append(
        ("incoming.sqlite\(suffix)", secretsInFile(container + "/incoming.sqlite\(suffix)", search)))
    }
    return places.filter { !$0.secrets.isEmpty }
  }

  private func secretsInFile(_ path: String, _ search: SecretSearch) -> [Int] {
    guard let file = try? EvidenceFile(path) else { return [] }
    var scan = SecretScan(search)
    var found: Set<Int> = []
    var piece: [UInt8] = []
    while (try? file.next(&piece)) == true { found.formUnion(scan.feed(piece[...]).map(\.secret)) }
    return found.sorted()
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

  private func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// The first line of a journal.
struct JournalHead {
  let path: String
  let name: String
  let process: String
  var startedNs: Int64
  let startedWallNs: Int64
  let boot: String
  let arguments: [String]
}

// Journals are read twice: first their heads, which determine the secrets to search for, then line by line.
extension EvidenceCollector {
  struct Journals {
    fileprivate(set) var files: [JournalFile] = []
    /// Names of files without a journal header.
    fileprivate(set) var foreign: [String] = []
    fileprivate(set) var unread: [(name: String, reason: String)] = []
  }

  /// Sorted by start; files without a valid first line come first. The peer's journals are beside its ledger.
  func journalHeads() -> [JournalHead] {
    let peers = firstHome == home ? [] : heads(in: firstHome + "/journal").filter { $0.process == "lspd" }
    return (heads(in: journalPath) + peers).sorted { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
  }

  private func heads(in directory: String) -> [JournalHead] {
    let names = Kernel.names(of: directory) ?? []
    return names.filter { $0.hasSuffix(".jsonl") }.map { head("\(directory)/\($0)", $0) }
  }

  private func head(_ path: String, _ name: String) -> JournalHead {
    var first: JournalRecord?
    _ = try? EvidenceFile(path).readLines { line in
      first = JournalRecord(file: name, line: 1, bytes: Array(line))
      return false
    }
    return JournalHead(
      path: path, name: name, process: first?.body["process"]?.text ?? "", startedNs: first?.atNs ?? .min,
      startedWallNs: first?.wallNs ?? .min, boot: first?.body["boot"]?.text ?? "",
      arguments: (first?.body["arguments"]?.items ?? []).compactMap(\.text))
  }

  /// Of all journals, as the claims may lack one.
  func boots(_ known: Boots, _ heads: [JournalHead]) -> Boots {
    var boots = known
    boots.insert(heads.filter { !$0.boot.isEmpty }.sorted { $0.startedWallNs < $1.startedWallNs }.map(\.boot))
    return boots
  }

  func journals(
    _ heads: [JournalHead], _ boots: Boots, until limitNs: Int64?, _ search: SecretSearch,
    _ progress: (String) -> Void
  ) -> Journals {
    var journals = Journals()
    for (place, head) in heads.enumerated() {
      progress("reading journal \(place + 1) of \(heads.count)")
      do throws(EvidenceFile.Problem) {
        guard let file = try read(head, boots, until: limitNs, search) else {
          journals.foreign.append(head.name)
          continue
        }
        journals.files.append(file)
      } catch { journals.unread.append((head.name, error.words)) }
    }
    journals.files.sort { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
    endInGaps(&journals.files)
    return journals
  }

  private func read(
    _ head: JournalHead, _ boots: Boots, until limitNs: Int64?, _ search: SecretSearch
  ) throws(EvidenceFile.Problem) -> JournalFile? {
    let file = try EvidenceFile(head.path)
    let reading = Taking(
      JournalReading(
        path: head.path, until: limitNs, bootBeginNs: boots.beginNs(of: head.boot), search: search))
    let endsTorn = try file.readLines(piece: { reading.journal.feed($0) }) { line in
      reading.journal.take(line)
      return true
    }
    reading.journal.finish()
    return JournalFile(reading.journal, endsTorn: endsTorn, visits)
  }

  /// Whether the newest journal of lspd or iosd has no end and was copied: the file of a copy is newer than its last line,
  /// or than its own content.
  func isCopyOfRunningPhone(_ journals: [JournalFile]) -> Bool {
    ["lspd", "iosd"].contains { program in
      guard let journal = journals.last(where: { $0.process == program }), !journal.hasEnded,
        let stamp = FileStamp("\(program == "lspd" ? firstHome : home)/journal/\(journal.name)")
      else { return false }
      // A copy without the original's times. The phone's own clock may be off.
      let isNew = program == "lspd" && stamp.modifiedNanoseconds &- journal.lastWallNs > stepSlackNs
      return isNew || stamp.changedNanoseconds > stamp.modifiedNanoseconds
    }
  }

  /// A class, as both closures change it.
  private final class Taking {
    var journal: JournalReading
    init(_ journal: JournalReading) { self.journal = journal }
  }

  /// A process killed while the disk was full could not note its lost last lines, but another journal notes the full
  /// disk.
  private func endInGaps(_ files: inout [JournalFile]) {
    let noted = files.flatMap(\.gaps).filter(\.isNoted)
    guard !noted.isEmpty else { return }
    let first = noted.map(\.fromNs).min() ?? .min
    let last = noted.map(\.toNs).max() ?? .max
    for place in files.indices where !files[place].hasEnded && (first...last).contains(files[place].lastNs) {
      guard
        // Its own gap is over at its last line.
        let gap = noted.first(where: { $0.fromNs <= files[place].lastNs && files[place].lastNs < $0.toNs })
      else { continue }
      files[place].endInGap(gap)
    }
  }
}

/// Which databases are in use, without opening them: a user of a database holds SQLite's locks on its inodes, and the
/// kernel lists those.
enum LiveFiles {
  /// By inode alone: some file systems have another device in the kernel's list than in `stat`, and a file wrongly
  /// taken for live is merely read through SQLite.
  static func isInUse(_ database: String) -> Bool {
    let inodes = Set((Kernel.locks() ?? []).map(\.inode))
    return [database, database + "-wal", database + "-shm", database + "-journal"].contains { path in
      FileStamp(path).map { inodes.contains($0.inode) } ?? false
    }
  }

}

/// `stat` of a file: any change means that the file was written.
struct FileStamp: Hashable {
  let inode: UInt64
  let size: Int64
  let modifiedNanoseconds: Int64
  let changedNanoseconds: Int64

  init?(_ path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    inode = UInt64(facts.st_ino)
    size = Int64(facts.st_size)
    modifiedNanoseconds = Int64(facts.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_mtim.tv_nsec)
    changedNanoseconds = Int64(facts.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_ctim.tv_nsec)
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
