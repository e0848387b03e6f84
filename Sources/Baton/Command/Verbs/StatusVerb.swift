import Ground
import DaemonRuntime
import SharedContainer

/// Who holds the node, why, and since when.
enum StatusVerb: Verb {
  static let declaration = CommandLineDeclaration(
    name: "status", summary: "show who holds the node, why, and since when; also without the daemons",
    examples: [("baton status --json", "for a script")])

  static let copiesDatabases = true

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let status = PhoneStatus(try invocation.presentPhone)
    invocation.output.isJSON ? invocation.output.say(status.view) : status.tell(invocation.output)
    return .done
  }
}
