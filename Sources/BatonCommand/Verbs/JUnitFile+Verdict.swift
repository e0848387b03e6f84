import Foundation
import Judge

// The judge's verdict for the machines that run tests: one case for each invariant, and one for the evidence.
extension JUnitFile {
  /// How many findings of one invariant are told; the others are counted.
  private static let told = 20

  static func write(_ verdict: Verdict, to path: String) throws {
    let text = lines(verdict).joined(separator: "\n") + "\n"
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw CommandFailure(.cannotCreate, "\(path) cannot be written; name another file with --junit")
    }
  }

  static func lines(_ verdict: Verdict) -> [String] {
    let broken = Dictionary(grouping: verdict.findings, by: \.invariant)
    let failures = Invariant.allCases.filter { broken[$0.rawValue] != nil }.count
    let errors = verdict.missing.isEmpty ? 0 : 1
    let suite =
      #"<testsuite name="baton judge" tests="\#(Invariant.allCases.count + 1)" failures="\#(failures)" errors="\#(errors)">"#
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, suite]
    lines += testcase(
      "evidence", "error", verdict.missing.map { "\($0.sentence); to get a verdict, \($0.advice)" })
    for invariant in Invariant.allCases {
      lines += testcase(invariant.title, "failure", (broken[invariant.rawValue] ?? []).map(\.sentence))
    }
    return lines + ["</testsuite>"]
  }

  /// One that passed has nothing to say.
  private static func testcase(_ name: String, _ word: String, _ sentences: [String]) -> [String] {
    let start = #"  <testcase classname="judge" name="\#(escaped(name))""#
    guard let first = sentences.first else { return ["\(start)/>"] }
    let rest = sentences.count - told
    let all = sentences.prefix(told) + (rest > 0 ? ["and \(rest) more"] : [])
    return [
      "\(start)>",
      #"    <\#(word) message="\#(escaped(first.onOneLine))">\#(escaped(all.map(\.onOneLine).joined(separator: "\n")))</\#(word)>"#,
      "  </testcase>",
    ]
  }
}
