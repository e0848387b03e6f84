import JSON
import DaemonRuntime

/// What the person has been shown, and what they do with it.
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
        ("baton notifications tap 1", "the person opens the wallet from it"),
      ])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let output = invocation.output
    guard invocation.line.verbs.count > 1, let verb = invocation.line.verbs.last else {
      list(try invocation.phone.askForJSON(.iosd, ControlMessage("notifications")), output)
      if !output.isJSON { try tellBadge(try invocation.phone, output) }
      return .done
    }
    if verb == "categories" {
      listCategories(try invocation.phone.askForJSON(.iosd, ControlMessage("categories")), output)
      return .done
    }
    var wish = ControlMessage("touch", ["id": invocation.word(), "do": verb])
    if verb == "action" { wish["action"] = invocation.word(1) }
    let answer = try invocation.phone.ask(.iosd, wish)
    output.say(
      "notification \(invocation.word()) is gone from the list; the app is \(answer["app"] ?? "unknown")",
      json: json(invocation, wish, answer))
    return .done
  }

  private static func json(
    _ invocation: Invocation, _ wish: ControlMessage, _ answer: ControlMessage
  ) -> JSONObject {
    var object = JSONObject()
    object.set("id", ifPresent: UInt64(invocation.word()))
    object.set("did", wish["do"] ?? "")
    object.set("action", ifPresent: wish["action"])
    object.set("app", ifPresent: answer["app"])
    return object
  }

  // MARK: Lists

  private static func list(_ rows: JSONValue, _ output: Output) {
    let names = [
      "id", "push", "source", "title", "subtitle", "body", "badge", "level", "sound", "thread", "category",
      "displayed", "withdrawn", "answer", "wall_ns", "gone_wall_ns",
    ]
    let all = rows.elements ?? []
    guard !output.isJSON else { return output.say(jsonArray(all, names)) }
    guard !all.isEmpty else { return output.say("nothing was shown yet") }
    func cell(_ row: JSONValue, _ name: String) -> String { row[name]?.word ?? "-" }
    output.table(
      [["ID", "PUSH", "LEVEL", "SOUND", "CATEGORY", "THREAD", "DISPLAYED", "NOW", "TEXT"]]
        + all.map { row in
          [
            cell(row, "id"), cell(row, "push"), cell(row, "level"), cell(row, "sound"),
            cell(row, "category"), cell(row, "thread"), cell(row, "displayed"), now(row), words(row),
          ]
        })
  }

  /// Each row has the badge after it, and a push without an alert changes it too.
  private static func tellBadge(_ phone: Phone, _ output: Output) throws {
    let badge = try phone.askForJSON(.iosd, ControlMessage("status"))["badge"]?.int ?? 0
    if badge > 0 { output.say("the badge on the wallet's icon is \(badge)") }
  }

  private static func now(_ row: JSONValue) -> String {
    if row["withdrawn"]?.flag == true { return "taken back" }
    switch row["answer"]?.text {
    case nil: return "there"
    case "default"?: return "tapped"
    case "dismiss"?: return "dismissed"
    case let action?: return action
    }
  }

  private static func words(_ row: JSONValue) -> String {
    [row["title"], row["subtitle"], row["body"]].compactMap { $0?.text }.filter { !$0.isEmpty }
      .joined(separator: ": ")
  }

  private static func listCategories(_ rows: JSONValue, _ output: Output) {
    let all = rows.elements ?? []
    guard !output.isJSON else { return output.say(jsonArray(all, ["id", "actions", "dismiss"])) }
    guard !all.isEmpty else {
      return output.say(
        "the app has registered nothing yet; `baton app open` starts it")
    }
    output.table(
      [["CATEGORY", "DISMISS ACTION", "ACTIONS"]]
        + all.map { category in
          let actions = (category["actions"]?.elements ?? []).map { action in
            let place = action["foreground"]?.flag == true ? "opens the app" : "in the background"
            return "\(action["id"]?.word ?? "-") (“\(action["title"]?.word ?? "")”, \(place))"
          }
          return [
            category["id"]?.word ?? "-", category["dismiss"]?.word ?? "-", actions.joined(separator: ", "),
          ]
        })
  }

  private static func jsonArray(_ rows: [JSONValue], _ names: [String]) -> String {
    "[\(rows.map { $0.object(of: names) }.joined(separator: ","))]"
  }
}
