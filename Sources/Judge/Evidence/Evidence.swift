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
