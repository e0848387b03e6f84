import DaemonRuntime
import Glibc
import Judge
import PhonePolicy

/// Gives the verdict on a run, from raw evidence.
package enum JudgeVerb: Verb {
  package static let declaration = CommandLineDeclaration(
    name: "judge",
    summary: "check from raw frames, tables and journals: one holder at a time, no money lost",
    options: [
      OptionDeclaration(
        "--require-settled", help: "a pending payment or splice is a failure (exit code 3)"),
      OptionDeclaration(
        "--without", value: .choice(EvidencePart.allCases.map(\.rawValue)), mayRepeat: true,
        help: "do not require this evidence: the programs that ran leave none, or it is lost"),
      OptionDeclaration(
        "--other", value: .path("DIR"), mayRepeat: true,
        help: "another container of a wallet moved with `baton restore`, or its phone's directory"),
      OptionDeclaration(
        "--lsp", value: .path("HOME"),
        help: "the phone whose lspd serves this phone too (`baton up --phone`)"),
      OptionDeclaration("--all", help: "show all findings, not only the first five of each kind"),
      OptionDeclaration("--junit", value: .path("FILE"), help: "also write the verdict as JUnit XML"),
    ],
    positionals: [
      PositionalDeclaration(
        "DIR", value: .path("DIR"), count: .optional, help: "a phone's directory; default: that of --home")
    ],
    examples: [
      (
        "baton judge .baton",
        "exit code 0: sound; 2: an invariant is broken; 3: a payment or splice is pending; 74: no verdict"
      ),
      ("baton judge --without journals", "judge wallet programs of your own that keep no journals"),
    ])

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let home = Phone(home: try line.positionals.first ?? invocation.phone.home).home
    let showsProgress = !invocation.output.isJSON && isatty(standardError) == 1
    let verdict: Verdict
    do {
      verdict = try Self.verdict(
        on: home, peersHome: line.text("--lsp").map { Phone(home: $0).home }, others: line.all("--other"),
        requireSettled: line.isGiven("--require-settled"),
        without: Set(line.all("--without").compactMap(EvidencePart.init(rawValue:)))
      ) { words in if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r\(words)".utf8)) } }
    } catch {
      // Replace the file of an earlier verdict.
      if let path = line.text("--junit") { try JUnitFile.write(CommandFailure(error), to: path) }
      throw error
    }
    if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
    if let path = line.text("--junit") { try JUnitFile.write(verdict, to: path) }
    if invocation.output.isJSON {
      invocation.output.say(VerdictDocument(verdict))
    } else {
      let text = verdict.text(showingAll: line.isGiven("--all"))
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropLast(text.hasSuffix("\n") ? 1 : 0) { invocation.output.say(String(line)) }
    }
    return ExitCode(rawValue: verdict.exitCode) ?? .exclusionOrMoneyBroken
  }

  package static func verdict(
    on home: String, peersHome: String? = nil, others: [String] = [], requireSettled: Bool,
    without: Set<EvidencePart> = [], progress: (String) -> Void = { _ in }
  ) throws -> Verdict {
    do throws(JudgeError) {
      return try Judge.verdict(
        home: home, peersHome: peersHome, others: others, requireSettled: requireSettled, without: without,
        progress: progress)
    } catch { throw CommandFailure(.inputOutputError, error.description) }
  }
}

/// A verdict as JSON.
package struct VerdictDocument: Report {
  struct FindingDocument: Report {
    var kind: String
    var invariant: Int
    var name: String
    var sentence: String
    var rows: [String]
    var atNs: Int64?
  }

  struct AbsenceDocument: Report {
    var part: String
    var sentence: String
    var advice: String
  }

  var outcome: Verdict.Outcome
  var passed: Bool
  var counts: Verdict.Counts
  var findings: [FindingDocument]
  var unsettled: [String]
  var remarks: [String]
  var judged: [String]
  var notJudged: [String]
  var missing: [AbsenceDocument]

  init(_ verdict: Verdict) {
    outcome = verdict.outcome
    passed = verdict.passed
    counts = verdict.counts
    findings = verdict.findings.map {
      FindingDocument(
        kind: "\($0.kind)", invariant: $0.invariant.rawValue, name: $0.invariant.name, sentence: $0.sentence,
        rows: $0.rows.map(\.description), atNs: $0.atNs)
    }
    unsettled = verdict.unsettled
    remarks = verdict.remarks
    judged = verdict.judged.map(\.rawValue)
    notJudged = verdict.notJudged.map(\.rawValue)
    missing = verdict.missing.map {
      AbsenceDocument(part: $0.part.rawValue, sentence: $0.sentence, advice: $0.advice)
    }
  }
}
