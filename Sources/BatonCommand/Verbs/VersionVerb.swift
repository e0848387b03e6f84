import JSON
import DaemonRuntime

/// Which version this is.
enum VersionVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "version", summary: "say the version, which all five programs share",
      examples: [("baton version --json", "for a script")])
  }

  static func run(_ invocation: Invocation) -> ExitCode {
    var object = JSONObject()
    object.set("version", batonVersion)
    invocation.output.say("baton \(batonVersion)", json: object)
    return .done
  }
}
