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
      if rest > 0 { lines.append("   and \(Self.grouped(rest)) more of this kind; --all shows them") }
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
      "\(grouped(sentences.count - 4 * shown)) more like these; --all shows them"
    ]
  }

  private static func list(_ parts: [EvidenceName]) -> String {
    parts.map(\.rawValue).joined(separator: ", ")
  }

  /// `14,006`.
  private static func grouped(_ number: Int) -> String {
    let digits = "\(number)"
    return digits.enumerated().reduce(into: "") { text, digit in
      if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text.append(",") }
      text.append(digit.element)
    }
  }
}
