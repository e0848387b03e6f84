import Ground

/// Runs all checks on the evidence, one after the other, and collects their findings.
struct Checker {
  let evidence: Evidence
  let requireSettled: Bool
  let missing: MissingJournals
  let absences: Absences
  let waived: Set<EvidencePart>
  /// The epochs that the peer has reported in answers to claims.
  let reportedEpochs: Set<Int64>
  private(set) var findings: [Finding] = []
  private(set) var remarks: [String]
  private(set) var unsettled: [Finding] = []
  var counts = Verdict.Counts()
  /// A cache: every write is compared with two claims.
  private var moments: [Int64: ClaimMoment?] = [:]

  init(evidence: Evidence, requireSettled: Bool, without waived: Set<EvidencePart> = []) {
    self.evidence = evidence
    self.requireSettled = requireSettled
    self.waived = waived
    remarks = evidence.remarks
    missing = MissingJournals(evidence)
    absences = Absences(evidence, missing)
    reportedEpochs = Set(
      evidence.ledger.frames.compactMap { frame in
        if case .fenceReply(let reply) = frame.message { reply.highest } else { nil }
      })
  }

  var frames: Rows<ReadFrame> { evidence.ledger.frames }

  mutating func run(_ progress: (String) -> Void = { _ in }) {
    remarkMoves()
    progress("checking claims and writes")
    checkJournals()
    checkClaims()
    checkWrites()
    checkRevision()
    let replay = evidence.hasLedger ? checkPeer(progress) : nil
    progress("checking payments")
    checkReceived(replay)
    checkSentCounts()
    checkSplices()
    checkInvoices()
    checkReports()
    checkRecords()
    checkPhone()
    checkTelling()
    checkSecrets()
    count()
  }

  /// The checks of a wallet of which only the peer's ledger is known.
  mutating func runOnLedger() {
    checkLosses()
    checkBackups()
    var replay = PeerReplay(evidence: evidence)
    replay.run()
    findings += replay.findings
    checkFences(replay)
    checkPayments(replay)
    count()
  }

  private mutating func remarkMoves() {
    for move in evidence.moves.all {
      let (from, to) = (Hexadecimal.encode(move.from.container), Hexadecimal.encode(move.to.container))
      remark(
        "under epoch \(move.to.epoch) the wallet was moved from container \(from.prefix(12))… to \(to.prefix(12))…"
      )
    }
  }

  /// The checks that need the ledger.
  private mutating func checkPeer(_ progress: (String) -> Void) -> PeerReplay {
    checkLosses()
    checkBackups()
    progress("replaying \(frames.count) frames")
    var replay = PeerReplay(evidence: evidence)
    replay.run()
    findings += replay.findings
    checkFences(replay)
    checkDurability(replay)
    if replay.isChannelKnown { checkWalletsChannel(replay) }
    checkPayments(replay)
    checkSent(replay)
    return replay
  }

  mutating func find(_ kind: FindingKind, _ values: any CustomStringConvertible..., at rows: [EvidenceRow]) {
    findings.append(finding(kind, values, rows))
  }

  private func finding(
    _ kind: FindingKind, _ values: [any CustomStringConvertible], _ rows: [EvidenceRow]
  ) -> Finding {
    Finding(kind, values.map(\.description), at: rows, atNs: rows.lazy.compactMap(instantNs).first)
  }

  /// Of a frame. Frames are in the order of their numbers.
  private func instantNs(of row: EvidenceRow) -> Int64? {
    guard case .frame(let id) = row else { return nil }
    let place = frames.countOfFirst { $0.entry.id < id }
    return place < frames.count && frames[place].entry.id == id ? frames[place].entry.atNs : nil
  }

  /// The claim in the journal of its process.
  mutating func moment(of claim: ClaimEntry) -> ClaimMoment? {
    if let known = moments[claim.epoch] { return known }
    let moment = evidence.journal(of: claim).flatMap { ClaimMoment(of: claim, in: $0) }
    moments[claim.epoch] = .some(moment)
    return moment
  }

  /// The wallet deletes no row of these tables, so their numbers have no gap.
  mutating func checkNumbers(_ table: String, _ numbers: [Int64]) {
    for (index, number) in numbers.enumerated() where number != Int64(index) + 1 {
      find(.rowMissing, number, table, at: [.wallet(table, number)])
      return
    }
  }

  mutating func remark(_ sentence: String) { remarks.append(sentence) }

  mutating func notePending(
    _ kind: FindingKind, _ values: any CustomStringConvertible..., at rows: [EvidenceRow]
  ) {
    let pending = finding(kind, values, rows)
    unsettled.append(pending)
    if requireSettled { findings.append(pending) }
  }

  private mutating func count() {
    // Paid parts of one hash count as one payment.
    let ledger = evidence.ledger
    let paid = ledger.payments.count(where: \.isPaid)
    counts.paid = ledger.paymentsByHash.values.count { !$0.paid.isEmpty }
    counts.payments = ledger.payments.count - paid + counts.paid
    counts.failed = ledger.payments.count(where: \.isFailed)
    counts.received = evidence.wallet.received.count
    counts.sent = evidence.wallet.sent.count
    counts.sentPaid = evidence.wallet.sent.count(where: \.isPaid)
    counts.sentFailed = evidence.wallet.sent.count(where: \.isFailed)
    counts.connections = ledger.connections.count
    counts.refused = ledger.connections.count(where: \.isRefused)
    counts.frames = frames.count
    counts.appClaims = evidence.wallet.claims.count { $0.role == "app" }
    counts.extensionClaims = evidence.wallet.claims.count { $0.role == "extension" }
  }

  var verdict: Verdict {
    var missing = absences.demanded(without: waived)
    var (findings, remarks) = (findings, remarks)
    let broken = findings.filter { $0.invariant != .progress }
    if evidence.isCopyOfRunningPhone, !broken.isEmpty {
      missing.append(
        Absence(
          part: .oneMoment,
          sentence: "this is a copy of a phone that ran or was killed, and its files do not fit together"))
      findings = findings.filter { $0.invariant == .progress }
      remarks += broken.prefix(Self.named).map { "not held against the wallet: \($0.sentence)" }.uniqued
      if broken.count > Self.named { remarks.append("and \(broken.count - Self.named) more of the kind") }
    }
    let notJudged = (absences.all + missing).map(\.part).uniqued
    return Verdict(
      counts: counts, findings: findings, unsettled: unsettled.map(\.sentence), remarks: remarks,
      judged: absences.parts.filter { !notJudged.contains($0) }, notJudged: notJudged, missing: missing)
  }

  private static let named = 5
}

extension Array where Element: Hashable {
  /// Without duplicates, in the order of first occurrence.
  var uniqued: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
