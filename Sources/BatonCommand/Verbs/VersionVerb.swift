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
    invocation.output.say("baton \(batonVersion)", json: Document(version: batonVersion))
    return .done
  }

  struct Document: Report { var version: String }
}
