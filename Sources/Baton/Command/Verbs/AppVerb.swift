import Ground
import DaemonRuntime
import PhonePolicy

/// User input: opens the app, goes home, swipes the app away, or presses a button of its screen.
enum AppVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "app", summary: "open the app, look at its screen, press its buttons, go home, or swipe it away",
      subcommands: [
        CommandLineDeclaration(
          name: "open", summary: "bring the app to the front, and start it if needed",
          options: [
            OptionDeclaration(
              "--url", value: .text("URL"), help: "by a link with a scheme that the app has registered")
          ]),
        CommandLineDeclaration(name: "home", summary: "go to the home screen; the app enters the background"),
        CommandLineDeclaration(name: "quit", summary: "swipe the app away: its process is killed"),
        CommandLineDeclaration(name: "screen", summary: "print what the app shows; with --wallet bitkit"),
        CommandLineDeclaration(
          name: "retry",
          summary: "press “Retry Now” on the screen of an expired payment; with --wallet bitkit"),
        CommandLineDeclaration(
          name: "copy", summary: "press “Copy Message for Sender” there; the text is in os/pasteboard"),
      ],
      examples: [
        ("baton app open", "the app comes to the front and connects"),
        ("baton app open --url bitkit://subscriptions", "the same by a link, which opens a page of the app"),
        ("baton app screen", "what the user reads"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let verb = invocation.line.verbs.last ?? ""
    switch verb {
    case "screen":
      let page = try AppScreenPage(invocation.phone)
      if page.isEmpty { try requireScreen(invocation) }
      return page.print(to: invocation.output)
    case "retry", "copy":
      try requireScreen(invocation)
      try invocation.phone.askApp(ControlMessage("press", ["button": verb]), inFront: true)
      invocation.output.say(
        "the button is pressed", json: Document(did: verb, app: "foreground", pid: nil))
      return .done
    default: return try move(verb, invocation)
    }
  }

  private static func requireScreen(_ invocation: Invocation) throws {
    guard try WalletOption.profileOfPhone(invocation.line, invocation.phone).extension.hasNode else { return }
    throw CommandFailure(
      .notDone,
      "the app of this wallet has no screen of payments; that of `baton up \(WalletOption.announcing)` has one"
    )
  }

  private static func move(_ verb: String, _ invocation: Invocation) throws -> ExitCode {
    let link = invocation.line.text("--url")
    let request = link.map { ControlMessage("open-url", ["url": $0]) } ?? ControlMessage(verb)
    let answer = try invocation.phone.ask(.iosd, request)
    if verb == "open", let pid = answer["pid"].flatMap({ Int32($0) }) {
      try AppStart(phone: invocation.phone, pid: pid).check()
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
