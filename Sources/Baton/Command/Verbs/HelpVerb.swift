import DaemonRuntime
import PhonePolicy

/// Prints the usage of a verb, or all exit codes.
enum HelpVerb: Verb {
  private static let exitCodes = "exit-codes"

  static let declaration = CommandLineDeclaration(
    name: "help", summary: "print the usage of a verb, or what each exit code means",
    positionals: [
      PositionalDeclaration(
        "TOPIC", value: .command(or: [exitCodes]), count: .any,
        help: "a verb, optionally with its subcommand, or \(exitCodes)")
    ],
    examples: [
      ("baton help app open", "the same as `baton app open -h`"),
      ("baton help exit-codes", "all exit codes and their meanings"),
    ])

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let words = invocation.line.positionals
    guard let first = words.first else {
      if invocation.output.isJSON { invocation.output.say(verbs) } else { StandardOutput.write(Welcome.text) }
      return .done
    }
    if words == [exitCodes] {
      tellExitCodes(invocation.output)
      return .done
    }
    try require(first != exitCodes, .wrongUsage, "`baton help \(exitCodes)` takes no further word")
    guard Program.verbs.contains(where: { $0.declaration.name == first }) else {
      let known = Program.verbs.map { $0.declaration.name } + [exitCodes]
      let advice = NearestWord.find(first, among: known).map { "did you mean \($0)?" } ?? "see baton -h"
      throw CommandFailure(.wrongUsage, "there is no help on \(UsageError.quoted(first)); \(advice)")
    }
    let usage = try Program.declaration.helpText(of: words)
    guard invocation.output.isJSON else {
      StandardOutput.write(usage)
      return .done
    }
    invocation.output.say(Usage(command: words.joined(separator: " "), usage: usage))
    return .done
  }

  struct Usage: Report {
    var command: String
    var usage: String
  }

  struct VerbSummary: Report {
    var verb: String
    var summary: String
  }

  struct ExitCodeMeaning: Report {
    var exit: Int32
    var code: String
    var means: String
  }

  private static var verbs: [VerbSummary] {
    Program.verbs.map { VerbSummary(verb: $0.declaration.name, summary: $0.declaration.summary) }
  }

  private static func tellExitCodes(_ output: Output) {
    guard output.isJSON else {
      return output.table(
        [["EXIT", "CODE", "MEANS"]] + ExitCode.allCases.map { ["\($0.rawValue)", $0.word, $0.meaning] })
    }
    output.say(ExitCode.allCases.map { ExitCodeMeaning(exit: $0.rawValue, code: $0.word, means: $0.meaning) })
  }
}
