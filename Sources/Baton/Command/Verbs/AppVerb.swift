import Ground
import DaemonRuntime
import PhonePolicy

/// User input: opens the app, goes home, swipes the app away, presses a button of its screen, or answers a
/// notification. A debug build's background tasks run by hand.
enum AppVerb: Verb {
  private static let notification = PositionalDeclaration(
    "ID", value: .integer(1...Int64.max), help: "the notification's number in `baton list notifications`")
  private static let task = PositionalDeclaration(
    "ID", value: .text("ID"), help: "the identifier, such as com.example.lightning.sync")

  static let declaration = CommandLineDeclaration(
    name: "app",
    summary: "open the app, go home, swipe it away, press its buttons, or tap its notifications",
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
      CommandLineDeclaration(
        name: "tap", summary: "tap a notification: the app comes to the front",
        positionals: [notification]),
      CommandLineDeclaration(
        name: "action", summary: "choose an action of a notification",
        positionals: [
          notification,
          PositionalDeclaration("ACTION", help: "an action that the app has registered, such as OPEN_NOW"),
        ], examples: [("baton app action 1 OPEN_NOW", "the action opens the app")]),
      CommandLineDeclaration(
        name: "dismiss",
        summary: "dismiss a notification; the app is told if the category has customDismissAction",
        positionals: [notification]),
      CommandLineDeclaration(
        name: "launch-task",
        summary: "launch a waiting background task now, as Xcode can; debug builds only",
        positionals: [task]),
      CommandLineDeclaration(
        name: "expire-task", summary: "expire a running background task now; debug builds only",
        positionals: [task]),
    ],
    examples: [
      ("baton app open", "the app comes to the front and connects"),
      ("baton app open --url bitkit://subscriptions", "the same by a link, which opens a page of the app"),
      ("baton app screen", "what the user reads"),
      ("baton app tap 1", "the user opens the wallet by notification 1"),
    ])

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
      return invocation.done("the button is pressed", json: Document(did: verb, app: "foreground"))
    case "tap", "action", "dismiss": return try touch(verb, invocation)
    case "launch-task", "expire-task": return try task(verb, invocation)
    default: return try move(verb, invocation)
    }
  }

  private static func touch(_ verb: String, _ invocation: Invocation) throws -> ExitCode {
    var request = ControlMessage("touch", ["id": invocation.word(), "do": verb])
    if verb == "action" { request["action"] = invocation.word(1) }
    let answer = try invocation.phone.ask(.iosd, request)
    let state = verb == "dismiss" ? "" : "; the app is \(words(answer["app"] ?? "unknown"))"
    return invocation.done(
      "notification \(invocation.word()) is removed from Notification Center\(state)",
      json: Document(
        id: UInt64(invocation.word()), did: verb, action: request["action"], app: answer["app"]))
  }

  private static func task(_ verb: String, _ invocation: Invocation) throws -> ExitCode {
    let did = String(verb.dropLast("-task".count))
    try invocation.phone.ask(.iosd, ControlMessage("task-\(did)", ["identifier": invocation.word()]))
    return invocation.done(
      "the background task \(invocation.word()) \(did == "launch" ? "is launched" : "expires")",
      json: Document(did: did, identifier: invocation.word()))
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
    return invocation.done(
      sentence(answer),
      json: Document(
        did: verb, app: answer["app"] ?? "unknown", pid: answer["pid"].flatMap { Int32($0) }))
  }

  static func sentence(_ answer: ControlMessage) -> String {
    let pid = answer["pid"].map { " (process \($0))" } ?? ""
    return "the app is \(words(answer["app"] ?? "unknown"))\(pid)"
  }

  static func words(_ state: String) -> String {
    switch state {
    case "foreground": "in front"
    case "background": "in the background"
    default: state
    }
  }

  struct Document: Report {
    /// The notification's number.
    var id: UInt64?
    var did: String
    var action: String?
    /// The background task's.
    var identifier: String?
    /// The app's state afterwards.
    var app: String?
    var pid: Int32?
  }
}
