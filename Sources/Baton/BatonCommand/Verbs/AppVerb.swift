import PhoneClient
import Terminal
import Ground
import DaemonRuntime
import Reports

/// User input: opens the app, goes home, or swipes the app away.
enum AppVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "app", summary: "open the app, go home, or swipe it away",
      subcommands: [
        CommandLineDeclaration(name: "open", summary: "bring the app to the front, and start it if needed"),
        CommandLineDeclaration(name: "home", summary: "go to the home screen; the app enters the background"),
        CommandLineDeclaration(name: "quit", summary: "swipe the app away: its process is killed"),
      ],
      examples: [("baton app open", "the app comes to the front and connects")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let verb = invocation.line.verbs.last ?? ""
    let answer = try invocation.phone.ask(.iosd, ControlMessage(verb))
    if verb == "open", let pid = answer["pid"].flatMap({ Int32($0) }),
      let reason = try AppStart(phone: invocation.phone, pid: pid).end()
    {
      throw CommandFailure(
        .notDone, "the app ended right after its start (process \(pid)): \(reason)")
    }
    invocation.output.say(
      sentence(verb, answer),
      json: Document(
        did: verb, app: answer["app"] ?? "unknown", pid: answer["pid"].flatMap { Int32($0) }))
    return .done
  }

  private static func sentence(_ verb: String, _ answer: ControlMessage) -> String {
    let pid = answer["pid"].map { " (process \($0))" } ?? ""
    return "the app is \(words(answer["app"] ?? "unknown"))\(pid)"
  }

  static func words(_ state: String) -> String {
    switch state {
    case "foreground": "in front"
    case "background": "in the background"
    case "terminating": "terminating"
    default: state
    }
  }

  struct Document: Report {
    var did: String
    /// The app's state afterwards.
    var app: String
    var pid: Int32?
  }
}
