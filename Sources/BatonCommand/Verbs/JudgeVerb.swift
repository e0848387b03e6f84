import DaemonRuntime
import Judge

/// The verdict on a run, from raw evidence.
enum JudgeVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "judge", summary: "say from raw evidence whether exclusion or money was ever broken in a run",
      options: [
        OptionDeclaration(
          "--require-settled", help: "a payment that is still on its way is a failure (exit code 3)")
      ],
      positionals: [
        PositionalDeclaration(
          "DIR", value: .path("DIR"), count: .optional,
          help: "the home of a phone; that of --home when it is not given")
      ],
      examples: [("baton judge .baton", "0 sound, 2 exclusion or money broken, 3 not everything settled")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let home = try Phone(home: invocation.line.positionals.first ?? invocation.phone.home).home
    let verdict = try verdict(on: home, requireSettled: invocation.line.isGiven("--require-settled"))
    if invocation.output.isJSON {
      invocation.output.say(try JSONLineEncoder().encode(verdict))
    } else {
      let lines = verdict.text.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropLast(verdict.text.hasSuffix("\n") ? 1 : 0) { invocation.output.say(String(line)) }
    }
    return ExitCode(rawValue: verdict.exitCode) ?? .exclusionOrMoneyBroken
  }

  static func verdict(on home: String, requireSettled: Bool) throws -> Verdict {
    do throws(JudgeError) {
      return try Judge.verdict(home: home, requireSettled: requireSettled)
    } catch { throw CommandFailure(.inputOutputError, error.description) }
  }
}
