import Ground
import Simulation

extension JUnitFile.Case {
  /// One seed; `words` are the options with which `baton replay` repeats it.
  package init(_ result: RunResult, words: String, took: TimeSpan) {
    self.init(name: "seed \(result.seed)", milliseconds: took.wholeMilliseconds)
    guard let violation = result.violation else { return }
    outcome = .failed(
      violation.invariant.sentence,
      details: "\(violation.sentence)\nagain: baton replay \(words)")
  }

  /// One case per invariant, over all states that an exploration has visited.
  package static func all(of report: ExploreReport, statesMax: String?) -> [JUnitFile.Case] {
    let invariants = report.invariants.map { invariant in
      let broken = report.findings.filter { $0.violation.invariant == invariant }
      guard let first = broken.first else { return JUnitFile.Case(name: invariant.sentence) }
      let stories = broken.map { ([$0.violation.sentence] + $0.story).joined(separator: "\n") }
      return JUnitFile.Case(
        name: invariant.sentence,
        outcome: .failed(first.violation.sentence, details: stories.joined(separator: "\n\n")))
    }
    let whole = JUnitFile.Case(
      name: "Every state was visited.",
      outcome: statesMax.map { .error("the exploration was stopped early", details: $0) } ?? .passed)
    return invariants + [whole]
  }
}
