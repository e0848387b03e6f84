import DaemonRuntime
import Ground
import Judge
import Simulation

/// Outcomes as JUnit XML.
package enum JUnitFile {
  /// One case of a suite.
  package struct Case: Sendable {
    package enum Outcome: Sendable {
      case passed
      /// It ran to its end with a wrong result.
      case failed(String, details: String)
      /// It could not be run to its end.
      case error(String, details: String)
      case skipped(String)
    }

    package var name: String
    /// Nil if its time was not measured.
    package var milliseconds: Int64? = nil
    package var outcome = Outcome.passed

    package func text(of suite: String) -> String {
      let time = milliseconds.map { " time=\"\(HumanText.seconds(.milliseconds($0)))\"" } ?? ""
      let head = "  <testcase classname=\"\(escaped(suite))\" name=\"\(escaped(name))\"\(time)"
      switch outcome {
      case .passed: return "\(head)/>\n"
      case .skipped(let why): return "\(head)><skipped message=\"\(escaped(why))\"/></testcase>\n"
      case .failed(let message, let details): return element("failure", head, message, details)
      case .error(let message, let details): return element("error", head, message, details)
      }
    }

    private func element(_ name: String, _ head: String, _ message: String, _ details: String) -> String {
      "\(head)>\n    <\(name) message=\"\(escaped(message))\">\(escaped(details))</\(name)>\n  </testcase>\n"
    }
  }

  static func escaped(_ text: String) -> String {
    let plain = String(String.UnicodeScalarView(text.unicodeScalars.map { isOfXML($0) ? $0 : "." }))
    return PageFrame.escaped(plain)
  }
}

/// XML 1.0 cannot represent most control characters, nor the last two scalars of the first plane.
private func isOfXML(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0xFFFE, 0xFFFF: false
  case ..<0x20: scalar == "\n" || scalar == "\t"
  default: true
  }
}

private func escaped(_ text: String) -> String { JUnitFile.escaped(text) }

// The judge's verdict as JUnit XML: one case for each invariant, and one for the evidence.
extension JUnitFile {
  /// How many findings of one invariant are written out; the rest is counted.
  private static let shownMax = 20

  package static func write(_ verdict: Verdict, to path: String) throws(CommandFailure) {
    let writer = try JUnitWriter(path, suite: "judge")
    for one in cases(verdict) { writer.add(one) }
    try writer.close()
  }

  /// For evidence on which no verdict is possible.
  package static func write(_ failure: CommandFailure, to path: String) throws(CommandFailure) {
    let writer = try JUnitWriter(path, suite: "judge")
    writer.add(Case(name: "evidence", outcome: .error(failure.sentence, details: failure.description)))
    try writer.close()
  }

  static func cases(_ verdict: Verdict) -> [Case] {
    let missing = verdict.missing.map { "\($0.sentence); to get a verdict, \($0.advice)" }
    let broken = Dictionary(grouping: verdict.findings, by: \.invariant)
    return [Case(name: "evidence", outcome: outcome(missing) { .error($0, details: $1) })]
      + Invariant.allCases.map { invariant in
        let sentences = (broken[invariant] ?? []).map(\.sentence)
        return Case(name: invariant.title, outcome: outcome(sentences) { .failed($0, details: $1) })
      }
  }

  /// Passed without sentences; otherwise `bad` with the first sentence and all of them.
  private static func outcome(
    _ sentences: [String], _ bad: (_ first: String, _ all: String) -> Case.Outcome
  ) -> Case.Outcome {
    guard let first = sentences.first else { return .passed }
    let rest = sentences.count - shownMax
    let all = sentences.prefix(shownMax) + (rest > 0 ? ["and \(rest) more"] : [])
    return bad(first.onOneLine, all.map(\.onOneLine).joined(separator: "\n"))
  }
}

extension JUnitFile.Case {
  /// One seed; `words` are the options with which `baton replay` repeats it.
  package init(_ result: RunResult, words: String, took: TimeSpan) {
    self.init(name: "seed \(result.seed)", milliseconds: took.wholeMilliseconds)
    guard let violation = result.violation else { return }
    outcome = .failed(
      violation.invariant.sentence, details: "\(violation.sentence)\nagain: baton replay \(words)")
  }

  /// One case per invariant, over all states that an exploration has visited.
  package static func all(of report: ExploreReport) -> [JUnitFile.Case] {
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
      outcome: report.reached.map { .error("the exploration was stopped early", details: $0.sentence) }
        ?? .passed)
    return invariants + [whole]
  }
}

/// Writes the cases of one suite. An unwritable file is an error before the run, and the file gets its name when it is
/// complete.
package final class JUnitWriter {
  private let suite: String
  private let file: UserFile
  private let start: Instant
  private var text = ""
  private var (tests, failures, errors, skipped) = (0, 0, 0, 0)

  /// `start`: since when the suite has run.
  package init(
    _ path: String, suite: String, since start: Instant = Clock.monotonicNow
  ) throws(CommandFailure) {
    self.suite = suite
    self.start = start
    file = try UserFile(path, mode: 0o644, "name another file with --junit")
  }

  package func add(_ one: JUnitFile.Case) {
    tests += 1
    switch one.outcome {
    case .passed: break
    case .failed: failures += 1
    case .error: errors += 1
    case .skipped: skipped += 1
    }
    text += one.text(of: suite)
  }

  /// Completes the file; no case may be added afterwards.
  package func close() throws(CommandFailure) {
    let counts =
      "tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    let time = HumanText.seconds(Clock.monotonicNow - start)
    try file.complete(
      with:
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"baton \(suite)\" \(counts) time=\"\(time)\">\n\(text)</testsuite>\n"
    )
  }
}
