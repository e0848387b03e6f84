import CoreShape
import DaemonRuntime
import Simulation

/// What the rules are for, for people, for the page in docs, and for programs.
struct AblationReport {
  let findings: [Ablation.Finding]
  /// With all rules.
  let all: SimFigures
  let seeds: SeedRange

  // MARK: Text

  var text: [String] {
    findings.flatMap { finding in
      ["without \(finding.rule.rawValue): \(verdict(finding))"] + (finding.broken?.story ?? []) + [""]
    } + ["with all rules: \(waits(all))"]
  }

  private func verdict(_ finding: Ablation.Finding) -> String {
    guard let broken = finding.broken else { return "no promise breaks in these worlds; \(cost(finding))" }
    return "\(broken.violation.invariant.sentence) It takes that \(broken.trial.words)."
  }

  /// What it buys, if nothing breaks.
  private func cost(_ finding: Ablation.Finding) -> String {
    finding.figures.broken.isEmpty
      ? waits(finding.figures)
      : "of \(seeds.count) seeds \(finding.figures.broken.count) break one"
  }

  private func waits(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)) from opening the app to connected on average, \(HumanText.span(figures.connecting.longest)) at most"
  }

  // MARK: The page

  var markdown: [String] {
    [
      "# What each rule is for", "",
      "Made by `baton ablation --markdown`. Each rule is taken away from a simulated world; the machines stay as they are, and",
      "the world answers as if the rule were not there. Worlds with one push and one opening of the app are explored, each",
      "with one kind of trouble, until a promise breaks; the story below the table is the shortest there is. The last column",
      "is of \(seeds.count) seeds of `baton sim`, ten minutes of trouble each: in how many of them a promise breaks, and how long it takes",
      "from opening the app to connected, on average and at most.", "",
      "| without | what the rule says | the promise that breaks | when | seeds that break one; waiting |",
      "|---|---|---|---|---|",
      "| nothing | | | | 0; \(span(all)) |",
    ] + findings.map(row) + findings.flatMap(story)
  }

  private func row(_ finding: Ablation.Finding) -> String {
    let breaks =
      finding.broken.map { $0.violation.invariant.sentence }
      ?? "none in these worlds"
    let broken = finding.figures.broken.count
    return
      "| `\(finding.rule.rawValue)` | \(finding.rule.sentence) | \(breaks) | \(finding.broken?.trial.words ?? "") | \(broken); \(span(finding.figures)) |"
  }

  private func span(_ figures: SimFigures) -> String {
    "\(HumanText.span(figures.connecting.mean)), \(HumanText.span(figures.connecting.longest))"
  }

  private func story(_ finding: Ablation.Finding) -> [String] {
    guard let broken = finding.broken else { return [] }
    return ["", "## Without `\(finding.rule.rawValue)`", "", "```"] + broken.story + ["```"]
  }

  // MARK: JSON

  var json: [JSONObject] {
    findings.map { finding in
      var object = JSONObject()
      object.set("without", finding.rule.rawValue)
      object.set("seeds", seeds.count)
      object.set("broken_seeds", finding.figures.broken.count)
      object.set("connecting_mean_ms", finding.figures.connecting.mean.wholeMilliseconds)
      object.set("connecting_longest_ms", finding.figures.connecting.longest.wholeMilliseconds)
      if let broken = finding.broken {
        object.set("invariant", broken.violation.invariant.rawValue)
        object.set("violation", broken.violation.sentence)
        object.set("when", broken.trial.words)
        object.set("story", broken.story)
      }
      return object
    }
  }
}
