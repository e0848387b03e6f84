import Terminal
import DaemonRuntime
import Reports

/// Which version this is.
enum VersionVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "version", summary: "say the version, which all five programs share",
      examples: [("baton version --json", "for a script")])
  }

  static func run(_ invocation: Invocation) -> ExitCode {
    invocation.output.say("baton \(batonVersion)", json: Document(version: batonVersion, json: jsonVersion))
    return .done
  }

  /// Of docs/json.md: another one when a member is gone or means something else, and not when one is new.
  static let jsonVersion = 1

  struct Document: Report {
    var version: String
    /// Of the form of all documents.
    var json: Int
  }
}
