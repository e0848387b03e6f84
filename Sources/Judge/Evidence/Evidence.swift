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

  /// The process of a journal or a claim.
  private struct Writer: Hashable {
    let pid: Int64
    let startTime: Int64
    let boot: String

    init(_ journal: JournalFile) { (pid, startTime, boot) = (journal.pid, journal.startTime, journal.boot) }
    init(_ claim: ClaimEntry) { (pid, startTime, boot) = (claim.pid, claim.startTime, claim.boot) }
  }

  let home: String
  let wallet: WalletEvidence
  let ledger: LedgerEvidence
  let moves: WalletMoves
  let visits: Visits
  /// In the transaction in which the wallet was read.
  var walletFile: SQLiteFile?
  /// The same of the ledger, to read other wallets from; nil: the peer keeps none.
  let ledgerFile: SQLiteFile?
  /// False for another wallet of the ledger, of whose phone nothing is known.
  var hasContainer = true
  var records = StoredRecords()
  private(set) var journals: [JournalFile] = []
  /// Journals of processes that had the wallet in another container.
  private(set) var otherContainersJournals: [JournalFile] = []
  /// Unreadable journal files, each with the reason.
  var unreadJournals: [(name: String, reason: String)] = []
  /// Wallet journals whose last lines are missing.
  private(set) var earlyEnds: [(process: String, sentence: String)] = []
  /// The wallet's other containers that are judged too.
  var givenContainers: Set<[UInt8]> = []
  /// 32 raw bytes; nil if this copy of the home has no keychain.
  var seed: [UInt8]?
  /// The searched secrets, and in which places of the container they were found.
  var secrets: [(what: Secret, bytes: [UInt8])] = []
  var secretPlaces: [(place: String, secrets: [Int])] = []
  /// Nil if the home has no `os` directory.
  var phone: PhoneEvidence?
  /// Remarks about the reading itself.
  var remarks: [String] = []
  /// Of a live phone, when it was read: later journal records are about a later moment, and those behind the beginning
  /// may not be in the databases.
  var takenAtNs: Int64?
  var certainUntilNs: Int64?
  /// Its files may be of different moments.
  var isCopyOfRunningPhone = false

  private var byProcess: [String: [JournalFile]] = [:]
  private var byWriter: [Writer: JournalFile] = [:]
  /// The first journal in which a claim of this epoch is answered.
  private var byAnswer: [Int64: JournalFile] = [:]

  init(
    home: String, wallet: WalletEvidence, _ ledger: LedgerEvidence, ledgerFile: SQLiteFile?, _ visits: Visits
  ) {
    self.home = home
    self.wallet = wallet
    self.ledger = ledger
    self.ledgerFile = ledgerFile
    self.visits = visits
    moves = WalletMoves(ledger, container: wallet.container)
  }

  /// Another wallet of the same ledger.
  func otherWallet(_ number: Int64) throws(JudgeError) -> Evidence {
    var other = Evidence(
      home: home, wallet: try WalletEvidence(nil, visits),
      try LedgerEvidence(ledgerFile, wallet: number, visits), ledgerFile: ledgerFile, visits)
    other.hasContainer = false
    other.certainUntilNs = certainUntilNs
    other.take(journals(of: "lspd"))
    return other
  }

  /// Sorted by start.
  mutating func take(_ files: [JournalFile]) {
    let others = moves.otherContainers
    for journal in files {
      guard others.isDisjoint(with: journal.containers) else {
        otherContainersJournals.append(journal)
        continue
      }
      journals.append(journal)
      byProcess[journal.process, default: []].append(journal)
      guard Self.wallets.contains(journal.process) else { continue }
      byWriter[Writer(journal)] = byWriter[Writer(journal)] ?? journal
      for epoch in journal.answeredEpochs { byAnswer[epoch] = byAnswer[epoch] ?? journal }
    }
  }

  static let wallets = ["mainappd", "notifyextd"]
  /// The extension that has no node.
  static let tellingExtension = "notifyonlyd"

  var hasLedger: Bool { ledgerFile != nil }

  func journals(of process: String) -> [JournalFile] { byProcess[process] ?? [] }

  func journal(of claim: ClaimEntry) -> JournalFile? { byWriter[Writer(claim)] }

  /// The journal of any process in which the claim is answered.
  func journal(answeringEpoch epoch: Int64) -> JournalFile? { byAnswer[epoch] }

  /// What iosd's journals show without a row of a notification.
  var shownWithoutRow: [(push: Int64, journal: JournalFile)] {
    phone?.shownWithoutRow(journals(of: "iosd")) ?? []
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

  func isCertain(_ record: JournalRecord) -> Bool { isCertain(record.atNs) }

  func isCertain(_ stampNs: Int64) -> Bool { certainUntilNs.map { stampNs < $0 &- stepSlackNs } ?? true }
}

// Journals that end before their process did, without the last line that says it ended: a full disk refused lines, or
// someone has cut them off. What they would show is not judged.
extension Evidence {
  mutating func noteEarlyEnds() {
    let claims = Dictionary(grouping: wallet.claims) { Writer($0) }
    for journal in journals + otherContainersJournals where !journal.hasEnded {
      let missing: String? =
        switch journal.process {
        case "lspd": missingFrames(of: journal)
        case "iosd": nil
        default: missingSteps(of: claims[Writer(journal)] ?? [], in: journal) ?? missingEnd(of: journal)
        }
      guard let missing, journal.endTooEarly() else { continue }
      earlyEnds.append(
        (journal.process, "\(journal.name) ends before \(missing): its last lines are missing"))
    }
  }

  /// lspd writes the line of an event when its frames are durable, so that a kill leaves the lines of one commit out.
  private func missingFrames(of journal: JournalFile) -> String? {
    let starts = ledger.runs.map(\.startedAtNs)
    let place = starts.countOfThose(upTo: journal.startedNs &+ stepSlackNs)
    guard place > 0, ledger.runs[place - 1].pid == journal.pid else { return nil }
    let endNs = place < starts.count ? starts[place] : .max
    let lastNs = ledger.frames.last { $0.entry.atNs < endNs }?.entry.atNs ?? .min
    return lastNs > journal.lastNs &+ stepSlackNs ? "the last frames of its run" : nil
  }

  private func missingEnd(of journal: JournalFile) -> String? {
    let row = phone?.processes.last { $0.pid == journal.pid && $0.startTime == journal.startTime }
    guard let row, row.how == "exited", row.number == 0, row.endedNs.map(isCertain) ?? true else {
      return nil
    }
    return "the end of its process, which exited"
  }

  /// A process writes the line of a claim or write first: only that of the answer may be missing after a kill.
  private func missingSteps(of claims: [ClaimEntry], in journal: JournalFile) -> String? {
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

/// The records of announced payments that the extension without a node leaves for the app.
struct StoredRecords {
  /// Payment hashes.
  var hashes: Set<[UInt8]> = []
  /// Why they are not judged; nil if they are.
  var hindrance: String?
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
  func isHere(atNs instant: Int64?) -> Bool { instant.map { at in isHere { $0.atNs <= at } } ?? true }

  func isHere(frame: Int64) -> Bool { isHere { $0.frame <= frame } }

  private func isHere(after isOver: (Move) -> Bool) -> Bool {
    guard let first = all.first else { return true }
    return (all.last(where: isOver)?.to.container ?? first.from.container) == container
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
