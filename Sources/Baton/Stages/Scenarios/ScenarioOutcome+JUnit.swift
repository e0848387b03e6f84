import DaemonRuntime

extension ScenarioOutcome {
  /// The outcome as a JUnit case: other answers are a failure, a crash is an error.
  var junit: JUnitFile.Case {
    let lines = text(Output(isJSON: false, usesColour: false), nameWidth: 0).dropFirst().joined(
      separator: "\n")
    let outcome: JUnitFile.Case.Outcome =
      switch kind {
      case .same, .updated: .passed
      case .skipped: .skipped(details.first ?? "")
      case .differs, .broken, .noProgress: .failed(kind.rawValue, details: lines)
      case .crashed: .error(kind.rawValue, details: lines)
      }
    return JUnitFile.Case(
      name: file, milliseconds: kind == .skipped ? nil : took.wholeMilliseconds, outcome: outcome)
  }
}
