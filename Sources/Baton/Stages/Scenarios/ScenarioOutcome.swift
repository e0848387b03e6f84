import DaemonRuntime
import Ground
import PhonePolicy

/// The outcome of one story, as text and JSON.
struct ScenarioOutcome {
  enum Kind: String {
    case same
    case differs
    case updated
    case skipped
    case noProgress = "no progress"
    case broken
    case crashed
  }

  var file: String
  var kind: Kind
  var took = TimeSpan.zero
  /// Lines below the first one.
  var details: [String] = []
  var differences: [Performance.Played] = []
  /// The home of a real phone that is kept.
  var home: String?
  /// The page of a failed story.
  var timeline: String?
  /// The app never took the node for the first time.
  var endedBeforeTheFirstLine = false

  init(file: String, skippedBecause why: String) {
    self.file = file
    kind = .skipped
    details = [why]
  }

  init(file: String, crashed sentence: String) {
    self.file = file
    kind = .crashed
    details = [sentence]
  }

  init(file: String, noProgress sentence: String, _ verdict: StageVerdict? = nil) {
    self.file = file
    (kind, details) = Self.gaveUp(sentence, verdict)
  }

  init(file: String, _ performance: Performance, took: TimeSpan) {
    self.file = file
    self.took = took
    differences = performance.differences
    switch performance.end {
    case .played(.sound): kind = differences.isEmpty ? .same : .differs
    case .played(.unsettled(let sentences)): (kind, details) = (.noProgress, sentences)
    case .played(.broken(let sentences)), .played(.unjudged(let sentences)):
      (kind, details) = (.broken, sentences)
    case .played(.crashed(let sentences)): (kind, details) = (.crashed, sentences)
    case .broken(let line, let sentence): (kind, details) = (.broken, ["after line \(line): \(sentence)"])
    case .timedOut(let line, let what, let verdict):
      endedBeforeTheFirstLine = line == 0
      (kind, details) = Self.gaveUp(
        "\(line == 0 ? "before the first line" : "line \(line)"): gave up waiting for \(what)", verdict)
    }
  }

  /// A wait timed out. Damage or a crash is graver, and the likely cause.
  static func gaveUp(_ sentence: String, _ verdict: StageVerdict?) -> (Kind, details: [String]) {
    switch verdict {
    case .broken(let sentences): (.broken, sentences + [sentence])
    case .crashed(let sentences): (.crashed, sentences + [sentence])
    case .unjudged(let sentences): (.noProgress, [sentence] + sentences)
    case .sound, .unsettled, nil: (.noProgress, [sentence])
    }
  }

  var isGood: Bool { [.same, .updated, .skipped].contains(kind) }

  var exitCode: ExitCode {
    switch kind {
    case .same, .updated, .skipped: .done
    case .differs: .differs
    case .noProgress: .noProgress
    case .broken: .exclusionOrMoneyBroken
    case .crashed: .crashedByItself
    }
  }

  /// The gravest code of several files.
  static func exitCode(_ outcomes: [ScenarioOutcome]) -> ExitCode {
    let gravest: [ExitCode] = [.exclusionOrMoneyBroken, .crashedByItself, .noProgress, .differs]
    let codes = outcomes.map(\.exitCode)
    return gravest.first { codes.contains($0) } ?? .done
  }

  // MARK: Output

  func text(_ output: Output, nameWidth: Int) -> [String] {
    let name = file + String(repeating: " ", count: max(0, nameWidth - file.count))
    let word = kind == .same ? "ok" : kind.rawValue
    let colour: Output.Colour = isGood ? (kind == .skipped ? .dim : .green) : .red
    let time = kind == .skipped ? details.first ?? "" : "\(HumanText.seconds(took)) s"
    let padding = String(repeating: " ", count: max(0, 11 - word.count))
    var lines = ["\(name)  \(output.paint(word, colour))\(padding)  \(time)"]
    guard kind != .skipped else { return lines }
    lines += details.map { "  \($0)" }
    for difference in kind == .updated ? [] : differences {
      lines.append("  line \(difference.step.line): \(difference.step.text)")
      lines += difference.step.expected.map { "    expected  \(output.paint($0, .green))" }
      if difference.step.expected.isEmpty { lines.append("    expected  nothing") }
      lines += difference.said.map { "    happened  \(output.paint($0, .red))" }
      if difference.said.isEmpty { lines.append("    happened  nothing") }
    }
    if let timeline { lines.append("  timeline: \(timeline)") }
    if let home { lines.append("  the phone is kept in \(home); look with `baton logs --home \(home)`") }
    return lines
  }

  struct Document: Report {
    var file: String
    /// same, differs, updated, skipped, no progress, broken or crashed.
    var outcome: String
    var tookMs: Int64
    var details: [String]
    var differences: [Difference]
    /// The home of the kept phone.
    var home: String?
    /// The page of a failed story.
    var timeline: String?
  }

  struct Difference: Report {
    var line: Int
    var text: String
    var expected: [String]
    var happened: [String]
  }

  var document: Document {
    Document(
      file: file, outcome: kind.rawValue, tookMs: took.wholeMilliseconds, details: details,
      differences: differences.map {
        Difference(line: $0.step.line, text: $0.step.text, expected: $0.step.expected, happened: $0.said)
      }, home: home, timeline: timeline)
  }
}

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
