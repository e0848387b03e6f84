import Terminal
import DaemonRuntime
import Reports

/// Prints the version.
enum VersionVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "version", summary: "print the version, which all five programs share",
      examples: [("baton version --json", "for a script")])
  }

  static func run(_ invocation: Invocation) -> ExitCode {
    invocation.output.say("baton \(batonVersion)", json: Document(version: batonVersion, json: jsonVersion))
    return .done
  }

  /// The version of docs/json.md: raised when a member is removed or changes its meaning, not for a new member.
  static let jsonVersion = 1

  struct Document: Report {
    var version: String
    /// The version of all JSON documents.
    var json: Int
  }
}
