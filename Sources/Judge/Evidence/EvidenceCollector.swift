import Foundation

/// Reads all parts of one home so that they belong to one moment.
struct EvidenceCollector {
  let home: String
  private static let attempts = 200

  private var ledgerPath: String { home + "/lsp/ledger.sqlite" }
  private var walletPath: String { home + "/AppGroup/node.sqlite" }
  private var journalPath: String { home + "/journal" }

  func collect(_ progress: (String) -> Void) throws(JudgeError) -> Evidence {
    for (part, path) in [("peer's ledger", ledgerPath), ("wallet's database", walletPath)]
    where !FileManager.default.fileExists(atPath: path) {
      throw .missing(part: part, path: path)
    }
    progress("reading the databases")
    let moment = try oneMoment()
    progress("reading the journals")
    let files = try journalFiles()
    let journals = files.compactMap { JournalFile(path: $0, until: moment.takenAtNs) }
      .sorted { ($0.startedNs, $0.name) < ($1.startedNs, $1.name) }
    let readable = Set(journals.map(\.path))
    guard !journals.isEmpty else { throw .missing(part: "journal of any process", path: journalPath) }
    var remarks = files.filter { !readable.contains($0) }.map { "\($0) does not begin as a journal does" }
    if moment.takenAtNs != nil { remarks.append("the daemons were up; this is one moment of their run") }
    let sealed = SealedSeed.ofWallet(among: SealedSeed.all(home: home), journals)
    sealed.remark.map { remarks.append($0) }
    return Evidence(
      home: home, wallet: moment.wallet, ledger: moment.ledger, journals: journals,
      places: moment.places + heartbeat(),
      seed: sealed.seed?.bytes ?? bytes(of: home + "/Keychain/wallet-seed"),
      phone: PhoneEvidence(directory: home + "/os"), remarks: remarks,
      certainUntilNs: moment.takenAtNs.map { _ in moment.begunAtNs })
  }

  // MARK: The databases

  private struct Moment {
    let wallet: WalletEvidence
    let ledger: LedgerEvidence
    let places: [SearchedPlace]
    /// The monotonic clock, if somebody was writing: what journals say later is about a later moment.
    let takenAtNs: Int64?
    let begunAtNs: Int64
  }

  /// The wallet is read before and after the ledger. When nothing changed between, both are of the ledger's moment;
  /// otherwise a step that is in one and not in the other would look like a crime.
  private func oneMoment() throws(JudgeError) -> Moment {
    for _ in 0..<Self.attempts {
      let scratch = try Scratch()
      let begunAtNs = monotonicNanoseconds()
      guard let wallet = try source(walletPath, "node.sqlite", scratch),
        let ledger = try source(ledgerPath, "ledger.sqlite", scratch)
      else { continue }
      let walletFile = try SQLiteFile(path: wallet.path, isLive: wallet.isLive, of: walletPath)
      let ledgerFile = try SQLiteFile(path: ledger.path, isLive: ledger.isLive, of: ledgerPath)
      // An empty one of a wallet that the peer has met is a loss, and no beginning.
      if try !walletFile.hasTables(), try LedgerEvidence(ledgerFile).frames.isEmpty {
        throw .neverBegun(path: walletPath)
      }
      let before = try WalletEvidence(walletFile)
      let ledgerEvidence = try LedgerEvidence(ledgerFile)
      let isLive = wallet.isLive || ledger.isLive
      if isLive {
        guard let again = try source(walletPath, "node-again.sqlite", scratch) else { continue }
        let after = try WalletEvidence(
          try SQLiteFile(path: again.path, isLive: again.isLive, of: walletPath))
        guard after.stamp == before.stamp else { continue }
      }
      return Moment(
        wallet: before, ledger: ledgerEvidence, places: try places(wallet, walletFile),
        takenAtNs: isLive ? monotonicNanoseconds() : nil, begunAtNs: begunAtNs)
    }
    throw .restless(home: home)
  }

  private struct Source {
    let path: String
    let isLive: Bool
  }

  /// Nil if it changed while it was being copied.
  private func source(_ path: String, _ name: String, _ scratch: Scratch) throws(JudgeError) -> Source? {
    if LiveFiles.isInUse(path) { return Source(path: path, isLive: true) }
    return try scratch.copy(path, as: name).map { Source(path: $0, isLive: false) }
  }

  /// The raw file with its log, which may hold what was deleted. A live one is never opened but by SQLite: closing it
  /// would drop SQLite's own locks in this process.
  private func places(_ source: Source, _ file: SQLiteFile) throws(JudgeError) -> [SearchedPlace] {
    guard source.isLive else {
      return ["", "-wal", "-journal"].compactMap { suffix in
        bytes(of: source.path + suffix).map { SearchedPlace(name: "node.sqlite\(suffix)", bytes: $0) }
      }
    }
    var all: [UInt8] = []
    let tables = try file.rows(
      "sqlite_schema", statement: "SELECT name FROM sqlite_schema WHERE type = 'table'")
    for table in tables {
      let name = try table.text("name")
      for row in try file.rows(name, statement: "SELECT * FROM \"\(name)\"") {
        for cell in row.cells {
          switch cell {
          case .text(let text): all += Array(text.utf8)
          case .blob(let bytes): all += bytes
          case .null, .integer: break
          }
          all.append(0)
        }
      }
    }
    return [SearchedPlace(name: "node.sqlite", bytes: all)]
  }

  // MARK: The files

  private func journalFiles() throws(JudgeError) -> [String] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: journalPath) else {
      throw .missing(part: "journal directory", path: journalPath)
    }
    return names.filter { $0.hasSuffix(".jsonl") }.sorted().map { "\(journalPath)/\($0)" }
  }

  private func heartbeat() -> [SearchedPlace] {
    bytes(of: home + "/AppGroup/heartbeat").map { [SearchedPlace(name: "heartbeat", bytes: $0)] } ?? []
  }

  private func bytes(of path: String) -> [UInt8]? {
    FileManager.default.contents(atPath: path).map { [UInt8]($0) }
  }

  private func monotonicNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
