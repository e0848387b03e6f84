import DaemonRuntime
import Judge

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
