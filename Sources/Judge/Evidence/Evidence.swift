import Platform

/// Everything that is judged, uninterpreted.
struct Evidence {
  /// What must not be readable anywhere, or not before the peer received it.
  enum Secret {
    case seed
    /// The private key to which servers seal the wallet's pushes.
    case pushKey
    case preimage(PaymentEntry)
  }

  /// The process of a journal.
  private struct Writer: Hashable {
    let pid: Int64
    let startTime: Int64
    let boot: String
  }

  let home: String
  let wallet: WalletEvidence
  let ledger: LedgerEvidence
  let hasLedger: Bool
  let records: StoredRecords
  /// False for another wallet of the ledger, of whose phone nothing is known.
  let hasContainer: Bool
  /// To read other wallets from, in the same transaction.
  let ledgerSource: LedgerSource?
  let journals: [JournalFile]
  /// Journals of processes that had the wallet in another container.
  let otherContainersJournals: [JournalFile]
  let moves: WalletMoves
  /// The wallet's other containers that are judged too.
  var givenContainers: Set<[UInt8]> = []
  /// Unreadable journal files, each with the reason.
  let unreadJournals: [(name: String, reason: String)]
  /// 32 raw bytes; nil if this copy of the home has no keychain.
  let seed: [UInt8]?
  /// The searched secrets, and in which places of the container they were found.
  let secrets: [Secret]
  let secretPlaces: [(place: String, secrets: [Int])]
  /// Nil if the home has no `os` directory.
  let phone: PhoneEvidence?
  /// What iosd's journals show without a row of a notification.
  let shownWithoutRow: [(push: Int64, journal: JournalFile)]
  /// Remarks about the reading itself.
  let remarks: [String]
  /// On a live phone: later journal records may not be in the databases that were read.
  let certainUntilNs: Int64?
  let visits: Visits
  /// Wallet journals whose last lines are missing.
  let earlyEnds: [(process: String, sentence: String)]
  /// Its files may be of different moments.
  var isCopyOfRunningPhone = false

  private let byProcess: [String: [JournalFile]]
  private let byWriter: [Writer: JournalFile]
  /// The first journal in which a claim of this epoch is answered.
  private let byAnswer: [Int64: JournalFile]

  init(
    home: String, _ moment: EvidenceCollector.Moment, _ journals: EvidenceCollector.Journals,
    _ secrets: EvidenceCollector.Secrets, phone: PhoneEvidence?, remarks: [String], certainUntilNs: Int64?,
    _ visits: Visits
  ) {
    var files = journals.files
    earlyEnds =
      EarlyEnds(&files, moment.wallet, moment.ledger, phone) { stamp in
        certainUntilNs.map { stamp < $0 &- stepSlackNs } ?? true
      }.all
    self.home = home
    wallet = moment.wallet
    ledger = moment.ledger
    hasLedger = moment.hasLedger
    records = moment.records
    hasContainer = true
    ledgerSource = moment.ledgerSource
    moves = WalletMoves(ledger, container: wallet.container)
    let others = moves.otherContainers
    let isOther = { (journal: JournalFile) in !others.isDisjoint(with: journal.containers) }
    let own = others.isEmpty ? files : files.filter { !isOther($0) }
    self.journals = own
    otherContainersJournals = others.isEmpty ? [] : files.filter(isOther)
    unreadJournals = journals.unread
    seed = secrets.seed
    self.secrets = secrets.all
    secretPlaces = secrets.places
    self.phone = phone
    self.remarks = remarks
    self.certainUntilNs = certainUntilNs
    self.visits = visits
    byProcess = Dictionary(grouping: own, by: \.process)
    shownWithoutRow = phone?.shownWithoutRow(byProcess["iosd"] ?? []) ?? []
    var byWriter: [Writer: JournalFile] = [:]
    var byAnswer: [Int64: JournalFile] = [:]
    for journal in own where Self.wallets.contains(journal.process) {
      let writer = Writer(pid: journal.pid, startTime: journal.startTime, boot: journal.boot)
      byWriter[writer] = byWriter[writer] ?? journal
      for epoch in journal.answeredEpochs { byAnswer[epoch] = byAnswer[epoch] ?? journal }
    }
    self.byWriter = byWriter
    self.byAnswer = byAnswer
  }

  /// Another wallet of the same ledger.
  init(otherWallet number: Int64, of first: Evidence) throws(JudgeError) {
    home = first.home
    wallet = try WalletEvidence(nil, first.visits)
    ledger = try LedgerEvidence(first.ledgerSource?.file, wallet: number, first.visits)
    hasLedger = true
    records = StoredRecords()
    hasContainer = false
    ledgerSource = nil
    moves = WalletMoves(ledger, container: nil)
    journals = first.journals(of: "lspd")
    otherContainersJournals = []
    unreadJournals = []
    seed = nil
    secrets = []
    secretPlaces = []
    phone = nil
    shownWithoutRow = []
    remarks = []
    certainUntilNs = first.certainUntilNs
    visits = first.visits
    earlyEnds = []
    byProcess = Dictionary(grouping: journals, by: \.process)
    byWriter = [:]
    byAnswer = [:]
  }

  static let wallets = ["mainappd", "notifyextd"]
  /// The extension that has no node.
  static let tellingExtension = "notifyonlyd"

  func journals(of process: String) -> [JournalFile] { byProcess[process] ?? [] }

  func journal(of claim: ClaimEntry) -> JournalFile? {
    byWriter[Writer(pid: claim.pid, startTime: claim.startTime, boot: claim.boot)]
  }

  /// When it was claimed, on the clock of journals and ledger. The row has the phone's own, which counts the machine's
  /// sleep and begins again with each boot of the phone.
  func claimedNs(_ claim: ClaimEntry) -> Int64 {
    let journal = journal(of: claim) ?? journal(answeringEpoch: claim.epoch)
    let answered = journal.flatMap { journal in
      journal.placeOfAnswer(to: claim.epoch).map { journal.events(of: "guard")[$0].atNs }
    }
    return answered ?? wallet.sum(of: claim.epoch).firstNs ?? claim.claimedBootNs
  }

  /// The journal of any process in which the claim is answered.
  func journal(answeringEpoch epoch: Int64) -> JournalFile? { byAnswer[epoch] }

  func isCertain(_ record: JournalRecord) -> Bool { isCertain(record.atNs) }

  func isCertain(_ stampNs: Int64) -> Bool { certainUntilNs.map { stampNs < $0 &- stepSlackNs } ?? true }
}

/// The records of announced payments that the extension without a node leaves for the app.
struct StoredRecords {
  /// Payment hashes.
  var hashes: Set<[UInt8]> = []
  /// Why they are not judged; nil if they are.
  var hindrance: String?
  /// A process had the database open.
  var isLive = false
}

extension EvidenceCollector {
  /// Nil if the database changed while it was being copied.
  func storedRecords(_ scratch: Scratch) throws(JudgeError) -> StoredRecords? {
    let path = container + "/incoming.sqlite"
    var records = StoredRecords()
    if FileStamp(path) != nil {
      guard let source = try source(path, "incoming.sqlite", scratch) else { return nil }
      records.isLive = source.isLive
      do throws(JudgeError) {
        let file = try SQLiteFile(path: source.path, isLive: source.isOpened, of: path)
        // The extension may have made the file, and not the table yet.
        if try file.tables().contains("incoming") {
          records.hashes = Set(
            try file.rows(of: "incoming", by: "number") { (row: HashEntry) in row.paymentHash })
        }
      } catch { records.hindrance = "\(path) cannot be read, so its records are not judged" }
    }
    // Listed last: the extension renames a damaged database before it makes another.
    let names = Kernel.names(of: container) ?? []
    if let name = names.filter({ $0.hasPrefix("incoming.sqlite.damaged-") }).min() {
      records.hindrance = "\(container)/\(name) was set aside as damaged, so the records are not judged"
    }
    return records
  }
}

/// When the wallet was in which container. The user may move it, and each container's database covers only its own
/// time.
struct WalletMoves {
  /// The peer accepted one container in place of another.
  struct Move {
    let frame: Int64
    let atNs: Int64
    let from: ReplacedFenceClaim
    let to: FenceClaim
  }

  let all: [Move]
  /// The container whose database is judged.
  let container: [UInt8]?

  /// A move needs both the wallet's `init` and the peer's fence: a row alone proves nothing.
  init(_ ledger: LedgerEvidence, container: [UInt8]?) {
    self.container = container
    var places: [FenceClaim: Int] = [:]
    for (place, fence) in ledger.fences.enumerated() { places[fence.claim] = places[fence.claim] ?? place }
    var moves: [Move] = []
    for frame in ledger.frames where frame.entry.isIn {
      guard case .initMessage(let claim?, _, let replaced?) = frame.message,
        replaced.container != claim.container, let place = places[claim], place > 0, moves.last?.to != claim
      else { continue }
      let before = ledger.fences[place - 1].claim
      guard before.epoch == replaced.epoch, before.container == replaced.container else { continue }
      moves.append(Move(frame: frame.entry.id, atNs: frame.entry.atNs, from: replaced, to: claim))
    }
    // Moves between two other containers are no evidence for this home.
    let isOne = moves.contains { $0.from.container == container || $0.to.container == container }
    all = isOne ? moves : []
  }

  /// Whether the wallet was in this container then.
  func isHere(atNs instant: Int64?) -> Bool {
    guard let instant, let first = all.first else { return true }
    let owner = all.last { $0.atNs <= instant }?.to.container ?? first.from.container
    return owner == container
  }

  func isHere(frame: Int64) -> Bool {
    guard let first = all.first else { return true }
    return (all.last { $0.frame <= frame }?.to.container ?? first.from.container) == container
  }

  /// Whether the wallet is in this container at the end.
  var isHereNow: Bool { all.last.map { $0.to.container == container } ?? true }

  /// The frame with which the wallet left this container for good.
  var lastFrame: Int64? { isHereNow ? nil : all.last { $0.from.container == container }?.frame }

  var arrivals: [Move] { all.filter { $0.to.container == container } }

  var otherContainers: Set<[UInt8]> {
    Set(all.flatMap { [$0.from.container, $0.to.container] }.filter { $0 != container })
  }
}

/// Journals that end before their process did, without the last line that says it ended: a full disk refused lines, or
/// someone has cut them off. What they would show is not judged.
struct EarlyEnds {
  private(set) var all: [(process: String, sentence: String)] = []

  /// Marks these journals.
  init(
    _ journals: inout [JournalFile], _ wallet: WalletEvidence, _ ledger: LedgerEvidence,
    _ phone: PhoneEvidence?, isCertain: (Int64) -> Bool
  ) {
    let claims = Dictionary(grouping: wallet.claims) { Process(pid: $0.pid, startTime: $0.startTime) }
    let ends = Dictionary(
      (phone?.processes ?? []).compactMap { row in
        row.startTime.map { (Process(pid: row.pid, startTime: $0), row) }
      }, uniquingKeysWith: { $1 })
    for place in journals.indices where !journals[place].hasEnded {
      let journal = journals[place]
      let process = Process(pid: journal.pid, startTime: journal.startTime)
      let missing: String? =
        switch journal.process {
        case "lspd": Self.missingFrames(of: journal, ledger)
        case "iosd": nil
        default:
          Self.missing(of: (claims[process] ?? []).filter { $0.boot == journal.boot }, in: journal, wallet)
            ?? ends[process].flatMap { row in
              row.how == "exited" && row.number == 0 && (row.endedNs.map(isCertain) ?? true)
                ? "the end of its process, which exited" : nil
            }
        }
      guard let missing, journals[place].endTooEarly() else { continue }
      all.append((journal.process, "\(journal.name) ends before \(missing): its last lines are missing"))
    }
  }

  /// lspd writes the line of an event when its frames are durable, so that a kill leaves the lines of one commit out.
  private static func missingFrames(of journal: JournalFile, _ ledger: LedgerEvidence) -> String? {
    let starts = ledger.runs.map(\.startedAtNs)
    let place = starts.countOfThose(upTo: journal.startedNs &+ stepSlackNs)
    guard place > 0, ledger.runs[place - 1].pid == journal.pid else { return nil }
    let endNs = place < starts.count ? starts[place] : .max
    let last = ledger.frames.last { $0.entry.atNs < endNs }
    return (last?.entry.atNs).flatMap {
      $0 > journal.lastNs &+ stepSlackNs ? "the last frames of its run" : nil
    }
  }

  private struct Process: Hashable {
    let pid: Int64
    let startTime: Int64
  }

  /// A process writes the line of a claim or write first: only that of the answer may be missing after a kill.
  private static func missing(
    of claims: [ClaimEntry], in journal: JournalFile, _ wallet: WalletEvidence
  ) -> String? {
    let sums = claims.map { wallet.sum(of: $0.epoch) }
    let writes = sums.reduce(Int64(0)) { $0 &+ $1.count }
    if journal.announcedWrites(upTo: .max) < writes, sums.compactMap(\.lastNs).max() ?? .min > journal.lastNs
    {
      return "the last writes of its process"
    }
    let claim = claims.first {
      $0.claimedWallNs > journal.lastWallNs && !ClaimMoment.isOrdered($0, in: journal)
    }
    return claim.map { "the claim of epoch \($0.epoch)" }
  }
}
