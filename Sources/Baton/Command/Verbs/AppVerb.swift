import DaemonRuntime
import Ground
import PhonePolicy
import Wallet

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
    let pid = answer["pid"].flatMap { Int32($0) }
    if verb == "open", let pid { try AppStart(phone: invocation.phone, pid: pid).check() }
    return invocation.done(
      sentence(answer),
      json: Document(
        did: verb, app: answer["app"] ?? "unknown", pid: pid))
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

/// What the app shows, as `baton app screen` prints it.
struct AppScreenPage: Report {
  /// The app's state; only in the foreground the user sees its screen.
  var app: String
  /// `main`, a page's name or `incoming`; missing if the app has named none.
  var screen: String?
  /// Of an incoming payment: `connecting`, `completing`, `completed` or `expired`.
  var state: String?
  var text: String?
  var detail: String?
  var amountSat: UInt64?
  var buttons: [String]

  init(_ phone: Phone) throws {
    let facts = try phone.facts().app
    app = facts.state
    let said = app == "foreground" ? facts.screen : nil
    (screen, state, text) = (said?["name"], said?["state"], said?["text"])
    detail = said?["detail"]
    amountSat = said?["amount-sat"].flatMap { UInt64($0) }
    buttons = said?["buttons"]?.split(separator: " ").map(String.init) ?? []
  }

  var lines: [String] {
    guard app == "foreground" else {
      return ["the app is \(AppVerb.words(app)), so the user does not see its screen"]
    }
    guard let text else { return ["the app is in front, and has not named its screen yet"] }
    return [text] + [detail].compactMap { $0 } + buttons.map(Self.line)
  }

  /// A button with its title, and the command that presses it.
  private static func line(_ button: String) -> String {
    "[\(ScreenButton(rawValue: button)?.title ?? button)] baton app \(button)"
  }

  /// In front, and without a screen.
  var isEmpty: Bool { app == "foreground" && text == nil }

  func print(to output: Output) -> ExitCode {
    if output.isJSON {
      output.say(self)
    } else {
      for line in lines { output.say(line) }
    }
    return .done
  }
}

/// Watches an app that was just opened: a broken one ends at once, or says nothing.
struct AppStart {
  /// How long an app without a status is watched.
  private static let timeout = TimeSpan.seconds(1)
  /// How long an app may be silent: it says hello first of all.
  private static let silenceMax = TimeSpan.seconds(10)

  let phone: Phone
  let pid: Int32

  /// Returns once it has a status, or has said something and has run for `timeout`.
  func check() throws {
    let begun = Clock.monotonicNow
    let process = WatchedProcess(pid: pid)
    while true {
      let app = try phone.facts().app
      if app.pid != pid {
        throw CommandFailure(
          .notDone, "the app ended right after its start (process \(pid)): \(try reason())")
      }
      if app.status?["text"] != nil { return }
      let waited = Clock.monotonicNow - begun
      if app.silentMs == nil, waited >= Self.timeout { return }
      try require(
        waited < Self.silenceMax, .tooSlow, "the app (process \(pid)) is \(app.silence ?? "silent")")
      _ = process?.waitForEnd(within: .milliseconds(waited < Self.timeout ? 10 : 100))
    }
  }

  private func reason() throws -> String {
    try phone.allProcesses().last { $0.pid == pid && $0.hasEnded }?.wholeReason ?? "for an unknown reason"
  }
}
