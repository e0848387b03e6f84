/// All checks on one pile of evidence, one after the other. Each adds what it finds.
struct Hearing {
  let evidence: Evidence
  let requireSettled: Bool
  let frames: [ReadFrame]
  let cleaned: CleanedJournals
  private(set) var findings: [Finding] = []
  private(set) var remarks: [String]
  private(set) var unsettled: [String] = []
  var counts = Verdict.Counts()
  /// Found once for each claim, as every write is held against two of them.
  private var moments: [Int64: ClaimMoment?] = [:]

  init(evidence: Evidence, requireSettled: Bool) {
    self.evidence = evidence
    self.requireSettled = requireSettled
    remarks = evidence.remarks
    cleaned = CleanedJournals(evidence)
    frames = evidence.ledger.frames.map(ReadFrame.init)
  }

  mutating func hear() {
    checkJournals()
    checkClaims()
    checkWrites()
    checkLedgerRows()
    checkLedgerAgainstItsJournal()
    var replay = PeerReplay(evidence: evidence, frames: frames)
    replay.run()
    for finding in replay.findings { find(finding.invariant, finding.sentence, finding.rows) }
    checkFences(replay)
    checkDurability(replay)
    if replay.isChannelKnown {
      checkPeersChannel(replay)
      checkWalletsChannel(replay)
    }
    checkPayments(replay)
    checkSent(replay)
    checkSentAgainstJournals()
    checkSplices(replay)
    checkInvoices()
    checkPushes()
    checkPhone()
    checkSecrets()
    count()
  }

  mutating func find(_ invariant: Int, _ sentence: String, _ rows: [String]) {
    findings.append(Finding(invariant: invariant, sentence: sentence, rows: rows))
  }

  mutating func moment(of claim: ClaimEntry, in journal: JournalFile) -> ClaimMoment? {
    if let known = moments[claim.epoch] { return known }
    let moment = ClaimMoment(of: claim, in: journal)
    moments[claim.epoch] = .some(moment)
    return moment
  }

  mutating func remark(_ sentence: String) { remarks.append(sentence) }

  mutating func waitFor(_ sentence: String, _ rows: [String]) {
    unsettled.append(sentence)
    if requireSettled { find(6, sentence, rows) }
  }

  private mutating func count() {
    // Parts that were paid are one payment.
    let paid = evidence.ledger.payments.filter(\.isPaid)
    counts.paid = Set(paid.map(\.paymentHash)).count
    counts.payments = evidence.ledger.payments.count - paid.count + counts.paid
    counts.failed = evidence.ledger.payments.filter(\.isFailed).count
    counts.received = evidence.wallet.received.count
    counts.sent = evidence.wallet.sent.count
    counts.sentPaid = evidence.wallet.sent.count(where: \.isPaid)
    counts.sentFailed = evidence.wallet.sent.count(where: \.isFailed)
    counts.connections = evidence.ledger.connections.count
    counts.refused = evidence.ledger.connections.filter(\.isRefused).count
    counts.frames = frames.count
    counts.appClaims = evidence.wallet.claims.filter { $0.role == "app" }.count
    counts.extensionClaims = evidence.wallet.claims.filter { $0.role == "extension" }.count
  }

  var verdict: Verdict {
    Verdict(
      passed: findings.isEmpty, counts: counts, findings: findings, unsettled: unsettled, remarks: remarks)
  }
}

/// A frame of the ledger with what it says, or why it says nothing.
struct ReadFrame {
  let entry: FrameEntry
  let message: WireMessage?
  let channel: [UInt8]?
  let problem: String?

  init(_ entry: FrameEntry) {
    self.entry = entry
    do throws(FrameReader.Malformed) {
      let read = try FrameReader.read(entry.bytes)
      message = read.message
      channel = read.channel
      problem = nil
    } catch {
      message = nil
      channel = nil
      problem = error.reason
    }
  }

  var isOfSplice: Bool { if case .step(let step)? = message { step.isOfSplice } else { false } }

  var name: String { message?.name ?? "unreadable frame" }
}
