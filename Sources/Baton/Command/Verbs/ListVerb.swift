import DaemonRuntime
import Ground
import PhonePolicy

/// Lists what the phone has: rows of one kind as a table, or as a JSON document.
enum ListVerb: Verb {
  private enum Kind: String { case processes, payments, pushes, notifications, categories, tasks }

  private static func kind(
    _ kind: Kind, _ summary: String, options: [OptionDeclaration] = [], examples: [(String, String)] = []
  ) -> CommandLineDeclaration {
    CommandLineDeclaration(name: kind.rawValue, summary: summary, options: options, examples: examples)
  }

  static let declaration = CommandLineDeclaration(
    name: "list", summary: "list processes, payments, pushes, notifications or background tasks",
    subcommands: [
      kind(
        .processes, "the daemons and the wallet's processes",
        options: [OptionDeclaration("-a", "--all", help: "also ended processes, and why they ended")],
        examples: [("baton list processes --all", "every process that this phone has run")]),
      kind(
        .payments,
        "payments in both directions: unsettled ones at the peer, then the newest; also without the daemons",
        options: [
          OptionDeclaration(
            "-n", value: .integer(1...1_000_000), default: "20", help: "the first N of the list")
        ],
        examples: [
          ("baton list payments -n 5", "the first five of the list"),
          (
            "baton list payments --json | jq '.[] | select(.state == \"held\")'",
            "the payments held for the wallet"
          ),
        ]),
      kind(
        .pushes, "every push of this phone with its outcome, and figures; also without the daemons",
        examples: [("baton list pushes --json", "all pushes with every figure, for a script")]),
      kind(.notifications, "all notifications, the newest last"),
      kind(.categories, "the notification categories and actions that the app has registered"),
      kind(.tasks, "the app's background tasks: waiting and why, running, ended"),
    ],
    examples: [
      ("baton list pushes", "the pushes, and how soon the node was connected after a silent push"),
      ("baton list tasks", "all tasks, and why a task does not run yet"),
    ])

  /// A database that no process has open is copied to a temporary directory.
  static func supervision(_ line: ParsedCommandLine) -> Supervision? {
    line.verbs.last == Kind.payments.rawValue ? Supervision(isLooking: true) : nil
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let kind = Kind(rawValue: invocation.line.verbs.last ?? "")
    let asks = [.notifications, .categories, .tasks].contains(kind)
    let phone = try asks ? invocation.phone : invocation.presentPhone
    let output = invocation.output
    switch kind {
    case .processes:
      let all = invocation.line.isGiven("-a")
      try ProcessList(phone, all: all).tell(output, home: phone.home, withLimits: all)
    case .payments: return try payments(phone, most: Int(invocation.line.number("-n")), output)
    case .pushes:
      PushFigures(of: phone).tell(output, wallNanoseconds: phone.clock.wallNanoseconds)
    case .notifications: try notifications(phone, output)
    case .categories:
      show(
        try phone.ask(.iosd, ControlMessage("categories"), for: [NotificationCategory].self),
        ["CATEGORY", "DISMISS ACTION", "ACTIONS"], \.cells,
        orNone: "the app has registered no categories yet; `baton app open` starts the app", output)
    case .tasks:
      let now = Clock.monotonicNow
      show(
        try phone.tasks(), ["TASK", "KIND", "STATE", "ASKED", "RAN", "WHY"], { $0.cells(now: now) },
        orNone:
          "the app has submitted no background task yet; `baton app open` starts the app, which submits one",
        output)
    case nil: return .wrongUsage
    }
    return .done
  }

  private static func show<Row: Report>(
    _ rows: [Row], _ columns: [String], _ cells: (Row) -> [String], orNone sentence: String, _ output: Output
  ) {
    if output.isJSON { return output.say(rows) }
    if rows.isEmpty { return output.say(sentence) }
    output.table([columns] + rows.map(cells))
  }

  private static func payments(_ phone: Phone, most: Int, _ output: Output) throws -> ExitCode {
    let list = try PaymentList(of: phone, most: most)
    show(
      list.entries, ["WHEN", "WAY", "AMOUNT", "WHAT", "HASH", "TEXT"], \.cells,
      orNone: "no payment was received or sent\(list.trouble == nil ? ", and none is held" : "")", output)
    if let trouble = list.trouble { output.remark("the payments at the peer are unknown: \(trouble)") }
    return list.isPeerSilent ? .daemonMissing : .done
  }

  private static func notifications(_ phone: Phone, _ output: Output) throws {
    show(
      try phone.notifications(),
      ["ID", "PUSH", "LEVEL", "SOUND", "CATEGORY", "THREAD", "DISPLAYED", "NOW", "TEXT"], \.cells,
      orNone: "no notification was shown yet", output)
    if output.isJSON { return }
    // The badge is not in the rows: a push without an alert changes it too.
    let badge = try phone.facts().badge
    if badge > 0 { output.say("the badge on the wallet's icon is \(badge)") }
  }
}

extension NotificationRow {
  fileprivate var cells: [String] {
    [
      "\(id)", push.map { "\($0)" } ?? "-", level ?? "-", sound ?? "-", category ?? "-", thread ?? "-",
      isDisplayed ? "yes" : "no", now,
      [title, subtitle ?? "", body].filter { !$0.isEmpty }.joined(separator: ": "),
    ]
  }

  private var now: String {
    if isWithdrawn == true { return "withdrawn" }
    return switch answer {
    case nil: "shown"
    case "default"?: "tapped"
    case "dismiss"?: "dismissed"
    case let action?: action
    }
  }
}

extension NotificationCategory {
  fileprivate var cells: [String] {
    let actions = actions.map { action in
      "\(action.id) (“\(action.title)”, \(action.opensApp ? "opens the app" : "in the background"))"
    }
    return [id, tellsDismissal ? "yes" : "no", actions.joined(separator: ", ")]
  }
}

extension TaskRow {
  func cells(now: Instant) -> [String] {
    let launched = launchedAtNs.map { Instant(nanoseconds: $0) }
    let asked = HumanText.span(now - Instant(nanoseconds: submittedAtNs))
    let ran = launched.map { HumanText.span((endedAtNs.map { Instant(nanoseconds: $0) } ?? now) - $0) }
    return [identifier, kind, state, "\(asked) ago", ran ?? "", whys(now: now)]
  }

  private func whys(now: Instant) -> String {
    var words = why.map { [$0] } ?? []
    let earliest = Instant(nanoseconds: earliestAtNs)
    if state == "waiting", earliest > now {
      words.append("not before \(HumanText.span(earliest - now)) from now")
    }
    if isByHand == true { words.append("launched by hand") }
    if let refused = refusedCompletions, refused > 0 {
      words.append(
        "\(refused == 1 ? "one more setTaskCompleted" : "\(refused) more setTaskCompleted calls") refused")
    }
    return words.joined(separator: "; ")
  }
}
