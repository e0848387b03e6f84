import Ground
import DaemonRuntime
import PhonePolicy
import Simulation

/// What the rules prevent, as text, as docs/ablation.md and as JSON.
struct AblationReport {
  let findings: [Ablation.Finding]
  /// Pairs of rules that break something together but not alone.
  let together: [Ablation.Finding]
  /// With all rules.
  let all: SimFigures
  let seeds: SeedRange

  // MARK: Text

  var text: [String] {
    (findings + together).flatMap { finding in
      ["without \(names(finding)): \(verdict(finding))"] + (finding.broken?.story ?? []) + [""]
    } + ["with all rules: \(waits(all))"]
  }

  private func names(_ finding: Ablation.Finding) -> String {
    finding.rules.map(\.rawValue).joined(separator: ",")
  }

  private func verdict(_ finding: Ablation.Finding) -> String {
    guard let broken = finding.broken else { return "no invariant breaks in these worlds; \(cost(finding))" }
    return "Broken: \(broken.violation.invariant.sentence) Condition: \(broken.words)."
  }

  /// The waiting times, or how many seeds break an invariant.
  private func cost(_ finding: Ablation.Finding) -> String {
    finding.figures.broken.isEmpty
      ? waits(finding.figures)
      : "one breaks in \(finding.figures.broken.count) of \(seeds.count) seeds"
  }

  private func waits(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)) from opening the app to connected on average, \(HumanText.span(figures.connecting.longest)) at most"
  }

  // MARK: The page

  var markdown: [String] {
    [
      "| without | what the rule says | the broken invariant | when | seeds with a broken invariant; mean and longest wait |",
      "|---|---|---|---|---|",
      "| nothing | | | | 0; \(span(all)) |",
    ] + findings.map(row) + pairs
  }

  private func row(_ finding: Ablation.Finding) -> String {
    let rule = finding.rules.map(\.sentence).joined(separator: " ")
    return
      "| `\(names(finding))` | \(rule) | \(promise(finding)) | \(finding.broken?.words ?? "") | \(finding.figures.broken.count); \(span(finding.figures)) |"
  }

  private func promise(_ finding: Ablation.Finding) -> String {
    if let broken = finding.broken { return broken.violation.invariant.sentence }
    return finding.figures.broken.first?.violation.map { "only in seeds: \($0.invariant.sentence)" }
      ?? "none in these worlds"
  }

  private var pairs: [String] {
    guard !together.isEmpty else { return [] }
    let isPairs = together.allSatisfy { $0.rules.count == 2 }
    let words =
      isPairs
      ? "Of the rules with “none in these worlds”, these pairs break an invariant when removed together:"
      : "Of the rules with “none in these worlds”, any two removed together break nothing in the seeds. All of them removed:"
    return [
      "", words, "",
      "| without | the broken invariant | when | seeds with a broken invariant; mean and longest wait |",
      "|---|---|---|---|",
    ]
      + together.map { finding in
        "| `\(names(finding))` | \(promise(finding)) | \(finding.broken?.words ?? "") | \(finding.figures.broken.count); \(span(finding.figures)) |"
      }
  }

  private func span(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)), \(HumanText.span(figures.connecting.longest))"
  }

  // MARK: JSON

  struct Document: Report {
    var without: String
    var seeds: UInt64
    var brokenSeeds: Int
    var connectingMeanMs: Int64
    var connectingLongestMs: Int64
    var invariant: Int?
    var violation: String?
    /// The world in which it broke.
    var when: String?
    var story: [String]?
  }

  var documents: [Document] {
    (findings + together).map { finding in
      let broken = finding.broken
      return Document(
        without: names(finding), seeds: seeds.count, brokenSeeds: finding.figures.broken.count,
        connectingMeanMs: finding.figures.connecting.mean.wholeMilliseconds,
        connectingLongestMs: finding.figures.connecting.longest.wholeMilliseconds,
        invariant: broken?.violation.invariant.rawValue, violation: broken?.violation.sentence,
        when: broken?.words, story: broken?.story)
    }
  }
}
