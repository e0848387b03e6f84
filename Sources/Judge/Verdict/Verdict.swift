import Ground

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

    fileprivate mutating func add(_ other: Counts, _ paths: [WritableKeyPath<Counts, Int>]) {
      for path in paths { self[keyPath: path] += other[keyPath: path] }
    }
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
    counts.add(
      other.counts, [\.received, \.sent, \.sentPaid, \.sentFailed, \.appClaims, \.extensionClaims])
    return Verdict(
      counts: counts, findings: (findings + other.findings).uniqued,
      unsettled: (unsettled + other.unsettled).uniqued, remarks: (remarks + other.remarks).uniqued,
      judged: (judged + other.judged.map { $0 == .container ? .otherContainer : $0 }).uniqued,
      notJudged: (notJudged + other.notJudged).uniqued, missing: (missing + other.missing).uniqued)
  }

  /// With what was found in the peer's ledger of another wallet.
  func joined(by checker: Checker, ofWallet number: Int64) -> Verdict {
    var counts = counts
    counts.add(checker.counts, [\.payments, \.paid, \.failed, \.connections, \.refused, \.frames])
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

extension Verdict {
  /// How many findings of a kind are shown without `--all`.
  private static let shown = 5

  /// The verdict as text.
  public var text: String { text(showingAll: false) }

  public func text(showingAll: Bool) -> String {
    var lines = [
      "\(countWords(counts.payments, "payment")), \(counts.paid) paid, \(counts.failed) failed, "
        + "\(unsettled.count) pending.",
      "\(countWords(counts.connections, "connection")) at the peer (\(counts.refused) refused), "
        + "\(countWords(counts.frames, "frame")); claims: \(counts.appClaims) by the app, "
        + "\(counts.extensionClaims) by the extension.",
      "\(countWords(counts.pushes, "push", "pushes")), \(countWords(counts.notifications, "notification")), "
        + "\(countWords(counts.kills, "kill")) seen.",
    ]
    if counts.sent > 0 {
      lines.append(
        "\(countWords(counts.sent, "outgoing payment")), \(counts.sentPaid) paid, \(counts.sentFailed) failed."
      )
    }
    lines += Self.some(unsettled, showingAll).map { "Pending: \($0)" }
    lines += Self.some(remarks, showingAll).map { "Note: \($0)." }
    if !notJudged.isEmpty {
      lines.append("Judged: \(Self.list(judged)). Not judged, or only in part: \(Self.list(notJudged)).")
    }
    lines += missing.map { "Missing: \($0.sentence). To get a verdict, \($0.advice)." }
    lines += findingLines(showingAll)
    lines.append("Verdict: \(judgement).")
    return lines.joined(separator: "\n") + "\n"
  }

  private func findingLines(_ showingAll: Bool) -> [String] {
    var lines: [String] = []
    var number = 0
    for group in FindingGroup.all(findings) {
      let shown = showingAll ? group.findings[...] : group.findings.prefix(Self.shown)
      for finding in shown {
        number += 1
        lines.append("\(number). [\(finding.invariant.title)] \(finding.sentence).")
        let rows = finding.rows.map(\.description).joined(separator: ", ")
        if !rows.isEmpty { lines.append("   see \(rows)") }
      }
      let rest = group.findings.count - shown.count
      number += rest
      if rest > 0 {
        lines.append("   and \(AmountText.grouped(UInt64(rest))) more of this kind; --all shows them")
      }
    }
    return lines
  }

  private var judgement: String {
    switch outcome {
    case .sound:
      (counts.payments + counts.sent == 0 ? "sound, with 0 payments to judge" : "sound")
        + (notJudged.isEmpty ? "" : ", in the parts that were judged")
    case .notSettled: "nothing is broken, but not everything was settled"
    case .broken: "broken (\(countWords(findings.count, "finding")))"
    case .noVerdict:
      "no verdict: \(missing.count == 1 ? "a part" : "\(missing.count) parts") of the evidence \(missing.count == 1 ? "is" : "are") missing, and the rest is not broken"
    }
  }

  private static func some(_ sentences: [String], _ showingAll: Bool) -> [String] {
    // One more sentence takes as much room as the line that would count it.
    guard !showingAll, sentences.count > 4 * shown + 1 else { return sentences }
    return sentences.prefix(4 * shown) + [
      "\(AmountText.grouped(UInt64(sentences.count - 4 * shown))) more like these; --all shows them"
    ]
  }

  private static func list(_ parts: [EvidenceName]) -> String {
    parts.map(\.rawValue).joined(separator: ", ")
  }
}
