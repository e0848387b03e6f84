import Ground
import DaemonRuntime
import PhonePolicy
import Museum
import Simulation

/// The result of the comparison, as text, as docs/ablation.md and as JSON.
struct ComparisonReport {
  let cells: [Comparison.Cell]

  /// The story of each violation once per coordination, in the world in which it was found first.
  var text: [String] {
    var told: Set<[String]> = []
    return cells.flatMap { cell in
      ["\(cell.coordination.name), \(cell.trial.words): \(summary(cell))"]
        + cell.findings.flatMap { finding in
          let isNew = told.insert([cell.coordination.name, finding.violation.sentence]).inserted
          return ["  \(finding.violation.sentence)"] + (isNew ? finding.story : [])
        }
    }
  }

  private func summary(_ cell: Comparison.Cell) -> String {
    let seen =
      "\(HumanText.grouped(UInt64(cell.states))) states\(cell.isComplete ? "" : ", exploration incomplete")"
    return cell.findings.isEmpty
      ? "no invariant broke in \(seen)" : "\(cell.findings.count) ways to break an invariant, \(seen)"
  }

  // MARK: The page

  var markdown: [String] {
    [
      "| | " + cells.coordinations.map(\.name).joined(separator: " | ") + " |",
      "|---|" + cells.coordinations.map { _ in "---|" }.joined(),
    ]
      + cells.worlds.map { words in
        "| \(words) | " + cells.coordinations.map { entry(words, $0) }.joined(separator: " | ") + " |"
      }
  }

  private func entry(_ words: String, _ coordination: Coordination) -> String {
    guard let cell = cells.first(where: { $0.coordination == coordination && $0.trial.words == words }) else {
      return "tasks are not modelled"
    }
    guard cell.findings.isEmpty else { return cell.words.joined(separator: ", ") }
    let states = HumanText.grouped(UInt64(cell.states))
    return cell.isComplete
      ? "nothing breaks, in all \(states) states"
      : "nothing breaks in \(states) states, exploration incomplete"
  }

  struct Document: Report {
    var coordination: String
    var world: String
    var states: Int
    var complete: Bool
    var findings: [BrokenInvariant]
  }

  var documents: [Document] {
    cells.map { cell in
      Document(
        coordination: cell.coordination.rawValue, world: cell.trial.words, states: cell.states,
        complete: cell.isComplete, findings: cell.findings.map(\.document))
    }
  }
}

extension Comparison.Cell {
  /// The broken invariants, each once.
  var words: [String] {
    Invariant.allCases.filter { invariant in findings.contains { $0.violation.invariant == invariant } }.map(
      \.word)
  }
}
