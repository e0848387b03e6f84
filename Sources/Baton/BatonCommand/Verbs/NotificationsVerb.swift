import PhoneClient
import Terminal
import DaemonRuntime
import Reports

/// What the user has been shown, and what they do with it.
enum NotificationsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    let id = PositionalDeclaration("ID", value: .integer(1...Int64.max), help: "its number in the list")
    return CommandLineDeclaration(
      name: "notifications", summary: "the phone's list of notifications, or touch one of them",
      subcommands: [
        CommandLineDeclaration(
          name: "tap", summary: "touch one: the app comes to the front", positionals: [id]),
        CommandLineDeclaration(
          name: "action", summary: "choose one of its actions",
          positionals: [
            id, PositionalDeclaration("ACTION", help: "as the app has registered it, such as OPEN_NOW"),
          ], examples: [("baton notifications action 1 OPEN_NOW", "the app opens for it")]),
        CommandLineDeclaration(
          name: "dismiss", summary: "wipe one away; the app hears of it if it wants to", positionals: [id]),
        CommandLineDeclaration(name: "categories", summary: "what the app has registered can be done"),
      ], worksWithoutCommand: true,
      examples: [
        ("baton notifications", "all that was shown, the newest last"),
        ("baton notifications tap 1", "the user opens the wallet from it"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    guard invocation.line.verbs.count > 1, let verb = invocation.line.verbs.last else {
      list(try invocation.phone.notifications(), output)
      if !output.isJSON { try tellBadge(try invocation.phone, output) }
      return .done
    }
    if verb == "categories" {
      listCategories(
        try invocation.phone.ask(.iosd, ControlMessage("categories"), for: [CategoryRow].self), output)
      return .done
    }
    var request = ControlMessage("touch", ["id": invocation.word(), "do": verb])
    if verb == "action" { request["action"] = invocation.word(1) }
    let answer = try invocation.phone.ask(.iosd, request)
    output.say(
      "notification \(invocation.word()) is gone from the list; the app is \(answer["app"] ?? "unknown")",
      json: Touched(
        id: UInt64(invocation.word()), did: verb, action: request["action"], app: answer["app"]))
    return .done
  }

  struct Touched: Report {
    var id: UInt64?
    var did: String
    var action: String?
    /// The app's state then.
    var app: String?
  }

  // MARK: Lists

  private static func list(_ rows: [NotificationRow], _ output: Output) {
    guard !output.isJSON else { return output.say(rows) }
    guard !rows.isEmpty else { return output.say("nothing was shown yet") }
    output.table(
      [["ID", "PUSH", "LEVEL", "SOUND", "CATEGORY", "THREAD", "DISPLAYED", "NOW", "TEXT"]]
        + rows.map { row in
          [
            "\(row.id)", row.push.map { "\($0)" } ?? "-", row.level ?? "-", row.sound ?? "-",
            row.category ?? "-", row.thread ?? "-", row.isDisplayed.map { $0 ? "yes" : "no" } ?? "-",
            now(row),
            words(row),
          ]
        })
  }

  /// Each row has the badge after it, and a push without an alert changes it too.
  private static func tellBadge(_ phone: Phone, _ output: Output) throws {
    let badge = try phone.facts().badge
    if badge > 0 { output.say("the badge on the wallet's icon is \(badge)") }
  }

  private static func now(_ row: NotificationRow) -> String {
    if row.isWithdrawn == true { return "taken back" }
    switch row.answer {
    case nil: return "there"
    case "default"?: return "tapped"
    case "dismiss"?: return "dismissed"
    case let action?: return action
    }
  }

  private static func words(_ row: NotificationRow) -> String {
    [row.title, row.subtitle ?? "", row.body].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  private static func listCategories(_ rows: [CategoryRow], _ output: Output) {
    guard !output.isJSON else { return output.say(rows) }
    guard !rows.isEmpty else {
      return output.say(
        "the app has registered nothing yet; `baton app open` starts it")
    }
    output.table(
      [["CATEGORY", "DISMISS ACTION", "ACTIONS"]]
        + rows.map { category in
          let actions = category.actions.map { action in
            let place = action.foreground ? "opens the app" : "in the background"
            return "\(action.id) (“\(action.title)”, \(place))"
          }
          return [category.id, category.dismiss ? "yes" : "no", actions.joined(separator: ", ")]
        })
  }
}
