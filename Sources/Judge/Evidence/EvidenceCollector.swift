import Glibc

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

  init(home: String) {
    self.home = home
    container = home + "/AppGroup"
    firstHome = home
    isServedElsewhere = false
  }

  /// For a phone whose wallet is one of several of the peer in another home.
  init(home: String, peersHome: String) {
    self.home = home
    container = home + "/AppGroup"
    firstHome = peersHome
    isServedElsewhere = true
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
      if !hasTables, ledgerEvidence.frames.isEmpty {
        throw .neverBegun(path: walletPath)
      }
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
        try SQLiteFile(path: ledger.path, isLive: ledger.isOpened, of: ledgerPath),
        wallet: 1, visits)
      return (
        try tables.read("pushes", by: "id"),
        try tables.read("payments", by: "id")
      )
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
