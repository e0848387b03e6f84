/// The judge's verdict on one run.
public struct Verdict: Hashable, Sendable {
  public struct Counts: Hashable, Codable, Sendable {
    public var payments = 0
    public var paid = 0
    public var failed = 0
    /// Receipts in the wallet's database.
    public var received = 0
    /// Outgoing payments, and how they ended.
    public var sent = 0
    public var sentPaid = 0
    public var sentFailed = 0
    public var connections = 0
    public var refused = 0
    public var frames = 0
    public var appClaims = 0
    public var extensionClaims = 0
    public var kills = 0
    public var pushes = 0
    public var notifications = 0

    public init() {}
  }

  public let outcome: Outcome
  /// No finding, and no demanded evidence is missing.
  public let passed: Bool
  public let counts: Counts
  public let findings: [Finding]
  /// Pending payments and splices, one sentence each.
  public let unsettled: [String]
  /// Notes that are no findings.
  public let remarks: [String]
  /// The parts of the evidence that were complete, and those that were missing or damaged.
  public let judged: [EvidenceName]
  public let notJudged: [EvidenceName]
  /// Demanded evidence that is missing: without it there is no verdict, unless the rest is broken.
  public let missing: [Absence]

  public enum Outcome: String, Hashable, Codable, Sendable, CaseIterable {
    case sound
    case broken
    case notSettled
    case noVerdict
  }

  public init(
    counts: Counts, findings: [Finding] = [], unsettled: [String] = [], remarks: [String] = [],
    judged: [EvidenceName], notJudged: [EvidenceName] = [], missing: [Absence] = []
  ) {
    if findings.contains(where: { $0.invariant != .progress }) {
      outcome = .broken
    } else if !missing.isEmpty {
      outcome = .noVerdict
    } else {
      outcome = findings.isEmpty ? .sound : .notSettled
    }
    passed = outcome == .sound
    self.counts = counts
    self.findings = findings
    self.unsettled = unsettled
    self.remarks = remarks
    self.judged = judged
    self.notJudged = notJudged
    self.missing = missing
  }

  /// Joins the verdict on another container of the same wallet. Findings and counts of their common ledger count
  /// once.
  func joined(by other: Verdict) -> Verdict {
    var counts = counts
    counts.received += other.counts.received
    counts.sent += other.counts.sent
    counts.sentPaid += other.counts.sentPaid
    counts.sentFailed += other.counts.sentFailed
    counts.appClaims += other.counts.appClaims
    counts.extensionClaims += other.counts.extensionClaims
    return Verdict(
      counts: counts, findings: (findings + other.findings).uniqued,
      unsettled: (unsettled + other.unsettled).uniqued, remarks: (remarks + other.remarks).uniqued,
      judged: (judged + other.judged.map { $0 == .container ? .otherContainer : $0 }).uniqued,
      notJudged: (notJudged + other.notJudged).uniqued, missing: (missing + other.missing).uniqued)
  }

  /// With what was found in the peer's ledger of another wallet.
  func joined(by checker: Checker, ofWallet number: Int64) -> Verdict {
    var counts = counts
    counts.payments += checker.counts.payments
    counts.paid += checker.counts.paid
    counts.failed += checker.counts.failed
    counts.connections += checker.counts.connections
    counts.refused += checker.counts.refused
    counts.frames += checker.counts.frames
    return Verdict(
      counts: counts, findings: findings + checker.findings.map { $0.ofWallet(number) },
      unsettled: unsettled + checker.unsettled.map { "wallet \(number): \($0.sentence)" }, remarks: remarks,
      judged: judged, notJudged: notJudged, missing: missing)
  }

  /// 0 sound; 2 exclusion or money broken; 3 nothing broken, but not everything settled; 74 evidence is missing and
  /// the rest is not broken.
  public var exitCode: Int32 {
    switch outcome {
    case .sound: 0
    case .broken: 2
    case .notSettled: 3
    case .noVerdict: 74
    }
  }
}
