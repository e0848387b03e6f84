import DaemonRuntime
import PhonePolicy

/// The notifications that the user has been shown, and the user's taps on them.
enum NotificationsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    let id = PositionalDeclaration(
      "ID", value: .integer(1...Int64.max), help: "the notification's number in the list")
    return CommandLineDeclaration(
      name: "notifications", summary: "list the phone's notifications, or tap, answer or dismiss one",
      subcommands: [
        CommandLineDeclaration(
          name: "tap", summary: "tap a notification: the app comes to the front", positionals: [id]),
        CommandLineDeclaration(
          name: "action", summary: "choose an action of a notification",
          positionals: [
            id,
            PositionalDeclaration("ACTION", help: "an action that the app has registered, such as OPEN_NOW"),
          ], examples: [("baton notifications action 1 OPEN_NOW", "the action opens the app")]),
        CommandLineDeclaration(
          name: "dismiss",
          summary: "dismiss a notification; the app is told if the category has customDismissAction",
          positionals: [id]),
        CommandLineDeclaration(
          name: "categories", summary: "the categories and actions that the app has registered"),
      ], worksWithoutCommand: true,
      examples: [
        ("baton notifications", "all notifications, the newest last"),
        ("baton notifications tap 1", "the user opens the wallet by notification 1"),
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
      "notification \(invocation.word()) is removed from Notification Center\(verb == "dismiss" ? "" : "; the app is \(AppVerb.words(answer["app"] ?? "unknown"))")",
      json: Touched(
        id: UInt64(invocation.word()), did: verb, action: request["action"], app: answer["app"]))
    return .done
  }

  struct Touched: Report {
    var id: UInt64?
    var did: String
    var action: String?
    /// The app's state afterwards.
    var app: String?
  }

  // MARK: Lists

  private static func list(_ rows: [NotificationRow], _ output: Output) {
    guard !output.isJSON else { return output.say(rows) }
    guard !rows.isEmpty else { return output.say("no notification was shown yet") }
    output.table(
      [["ID", "PUSH", "LEVEL", "SOUND", "CATEGORY", "THREAD", "DISPLAYED", "NOW", "TEXT"]]
        + rows.map { row in
          [
            "\(row.id)", row.push.map { "\($0)" } ?? "-", row.level ?? "-", row.sound ?? "-",
            row.category ?? "-", row.thread ?? "-", row.isDisplayed ? "yes" : "no",
            now(row),
            words(row),
          ]
        })
  }

  /// The badge is not in the rows: a push without an alert changes it too.
  private static func tellBadge(_ phone: Phone, _ output: Output) throws {
    let badge = try phone.facts().badge
    if badge > 0 { output.say("the badge on the wallet's icon is \(badge)") }
  }

  private static func now(_ row: NotificationRow) -> String {
    if row.isWithdrawn == true { return "withdrawn" }
    switch row.answer {
    case nil: return "shown"
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
        "the app has registered no categories yet; `baton app open` starts the app")
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
