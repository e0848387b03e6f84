extension Verdict {
  /// The verdict as a short story for people.
  public var text: String {
    var lines = [
      "\(Self.count(counts.payments, "payment")), \(counts.paid) received once, \(counts.failed) failed, "
        + "\(unsettled.count) on the way.",
      "\(Self.count(counts.connections, "connection")) at the peer (\(counts.refused) refused), "
        + "\(Self.count(counts.frames, "frame")); claims: \(counts.appClaims) by the app, "
        + "\(counts.extensionClaims) by the extension.",
      "\(Self.count(counts.pushes, "push", "pushes")), \(Self.count(counts.notifications, "notification")), "
        + "\(Self.count(counts.kills, "kill")) seen.",
    ]
    if counts.sent > 0 {
      lines.append(
        "\(Self.count(counts.sent, "payment")) of the wallet's own, \(counts.sentPaid) paid, \(counts.sentFailed) failed."
      )
    }
    lines += unsettled.map { "On the way: \($0)" }
    lines += remarks.map { "Note: \($0)." }
    for (index, finding) in findings.enumerated() {
      lines.append("\(index + 1). [invariant \(finding.invariant)] \(finding.sentence).")
      if !finding.rows.isEmpty { lines.append("   see \(finding.rows.joined(separator: ", "))") }
    }
    lines.append("Verdict: \(judgement).")
    return lines.joined(separator: "\n") + "\n"
  }

  private var judgement: String {
    switch exitCode {
    case 0: counts.payments + counts.sent == 0 ? "sound, with 0 payments to judge" : "sound"
    case 3: "nothing is broken, but not everything was settled"
    default: "broken (\(Self.count(findings.count, "finding")))"
    }
  }

  private static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(number == 1 ? one : many ?? one + "s")"
  }
}
