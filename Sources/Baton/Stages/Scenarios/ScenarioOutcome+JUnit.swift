import Terminal
import DaemonRuntime

extension ScenarioOutcome {
  /// As a case of JUnit: a story that came to something else has failed, one that could not be played to its end is an error.
  var junit: JUnitFile.Case {
    let told = text(Output(isJSON: false, usesColour: false), nameWidth: 0).dropFirst().joined(
      separator: "\n")
    let outcome: JUnitFile.Case.Outcome =
      switch kind {
      case .same, .updated: .passed
      case .skipped: .skipped(details.first ?? "")
      case .differs, .broken, .noProgress: .failed(kind.rawValue, details: told)
      case .crashed: .error(kind.rawValue, details: told)
      }
    return JUnitFile.Case(
      name: file, milliseconds: kind == .skipped ? nil : took.wholeMilliseconds, outcome: outcome)
  }
}
