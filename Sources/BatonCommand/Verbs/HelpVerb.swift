import JSON
import DaemonRuntime

/// The usage of a verb, or the exit codes of all of them.
enum HelpVerb: Verb {
  private static let exitCodes = "exit-codes"

  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "help", summary: "say how a verb is used, or what the exit codes mean",
      positionals: [
        PositionalDeclaration(
          "TOPIC", value: .command(or: [exitCodes]), count: .any,
          help: "a verb, also with its command, or \(exitCodes)")
      ],
      examples: [
        ("baton help app open", "as `baton app open -h`"),
        ("baton help exit-codes", "what a script may meet"),
      ])
  }

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
    var object = JSONObject()
    object.set("command", words.joined(separator: " "))
    object.set("usage", usage)
    invocation.output.say(object.text)
    return .done
  }

  private static var verbs: String {
    let rows = Program.verbs.map { verb in
      var object = JSONObject()
      object.set("verb", verb.declaration.name)
      object.set("summary", verb.declaration.summary)
      return object.text
    }
    return "[\(rows.joined(separator: ","))]"
  }

  private static func tellExitCodes(_ output: Output) {
    guard output.isJSON else {
      return output.table(
        [["EXIT", "CODE", "MEANS"]] + ExitCode.allCases.map { ["\($0.rawValue)", $0.word, $0.meaning] })
    }
    let rows = ExitCode.allCases.map { code in
      var object = JSONObject()
      object.set("exit", code.rawValue)
      object.set("code", code.word)
      object.set("means", code.meaning)
      return object.text
    }
    output.say("[\(rows.joined(separator: ","))]")
  }
}
