import PhoneClient
import Terminal
import DaemonRuntime
import Glibc
import Judge
import Reports

/// The verdict on a run, from raw evidence.
package enum JudgeVerb: Verb {
  package static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "judge", summary: "say from raw evidence whether exclusion or money was ever broken in a run",
      options: [
        OptionDeclaration(
          "--require-settled", help: "a payment that is still on its way is a failure (exit code 3)"),
        OptionDeclaration(
          "--without", value: .choice(EvidencePart.allCases.map(\.rawValue)), mayRepeat: true,
          help: "this evidence is not demanded, as the programs that ran leave none"),
        OptionDeclaration(
          "--other", value: .path("DIR"), mayRepeat: true,
          help: "a container that the wallet was moved from or to with `baton restore`, or the home of one"),
        OptionDeclaration("--all", help: "show all findings, and not the first of each kind"),
        OptionDeclaration("--junit", value: .path("FILE"), help: "also write the verdict as JUnit XML"),
      ],
      positionals: [
        PositionalDeclaration(
          "DIR", value: .path("DIR"), count: .optional,
          help: "the home of a phone; that of --home when it is not given")
      ],
      examples: [
        (
          "baton judge .baton",
          "0 sound, 2 exclusion or money broken, 3 not everything settled, 74 no verdict"
        ),
        (
          "baton judge --without journals", "the verdict on wallet programs of your own that keep no journals"
        ),
      ])
  }

  /// Copies of databases that nobody has open.
  package static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    Supervision(name: "judge", isLooking: true, needsPlace: false)
  }

  package static func run(_ invocation: Invocation) throws -> ExitCode {
    let line = invocation.line
    let home = Phone(home: try line.positionals.first ?? invocation.phone.home).home
    let showsProgress = !invocation.output.isJSON && isatty(standardError) == 1
    let verdict: Verdict
    do {
      verdict = try Self.verdict(
        on: home, others: line.all("--other"), requireSettled: line.isGiven("--require-settled"),
        without: Set(line.all("--without").compactMap(EvidencePart.init(rawValue:)))
      ) { words in
        if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r\(words)".utf8)) }
      }
    } catch {
      // A file of an earlier verdict is not to be taken for this one's.
      if let path = line.text("--junit") { try JUnitFile.write(CommandFailure(error), to: path) }
      throw error
    }
    if showsProgress { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) }
    if let path = line.text("--junit") { try JUnitFile.write(verdict, to: path) }
    if invocation.output.isJSON {
      invocation.output.say(verdict)
    } else {
      let text = verdict.text(showingAll: line.isGiven("--all"))
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropLast(text.hasSuffix("\n") ? 1 : 0) { invocation.output.say(String(line)) }
    }
    return ExitCode(rawValue: verdict.exitCode) ?? .exclusionOrMoneyBroken
  }

  package static func verdict(
    on home: String, others: [String] = [], requireSettled: Bool, without: Set<EvidencePart> = [],
    progress: (String) -> Void = { _ in }
  ) throws -> Verdict {
    do throws(JudgeError) {
      return try Judge.verdict(
        home: home, others: others, requireSettled: requireSettled, without: without, progress: progress)
    } catch { throw CommandFailure(.inputOutputError, error.description) }
  }
}

extension Verdict: Report {}
