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

/// The processes of one phone.
struct ProcessList: Report {
  /// phoenix or bitkit.
  var wallet: String?
  /// The pids of the running daemons.
  var iosd: Int32?
  var lspd: Int32?
  var byHand: [HandRunProcess]
  var processes: [ProcessFacts]
  var limits: LimitFacts?

  init(_ phone: Phone, all: Bool) throws {
    iosd = DaemonProbe.pid(listeningOn: phone.iosdSocket)
    lspd = DaemonProbe.pid(listeningOn: phone.lspdSocket)
    // A stopped iosd would never answer.
    let facts = try iosd.flatMap { ProcessTable.isStopped($0) ? nil : try phone.facts() }
    processes = try Self.walletRows(phone, all: all, facts, isUp: iosd != nil)
    limits = facts?.limits
    byHand = HandRunProcess.all(of: phone)
    wallet = HomeWallet.name(of: phone)
  }

  /// The ledger has all ended processes; iosd has the running ones, and rows that a full disk kept out of the ledger.
  private static func walletRows(
    _ phone: Phone, all: Bool, _ facts: PhoneFacts?, isUp: Bool
  ) throws -> [ProcessFacts] {
    var rows = all || isUp && facts == nil ? ProcessRow.written(in: phone.processLedger) : []
    if facts != nil {
      let request = ControlMessage("ps", ["all": all ? "yes" : "no"])
      rows += try phone.ask(.iosd, request, for: [ProcessRow].self)
    }
    let suspended = facts?.app.state == "suspended" ? facts?.app.pid : nil
    return rows.lastOfEach.filter { all || !$0.hasEnded }.map { row in
      guard !row.hasEnded else { return ProcessFacts(row) }
      // Current figures come from the kernel; only iosd keeps the footprint's peak.
      return ProcessFacts(row, isSuspended: row.pid == suspended, memory: MemoryFigures(of: row.pid))
    }
  }

  func tell(_ output: Output, home: String, withLimits: Bool) {
    if output.isJSON { return output.say(self) }
    let daemons = [("lspd", lspd), ("iosd", iosd)]
    let running =
      daemons.compactMap { name, pid in pid.map { Self.cells(name, $0, "") } }
      + byHand.map { Self.cells($0.process, $0.pid, "started by hand") }
    if running.isEmpty && processes.isEmpty {
      output.say("no process runs in \(home); start the phone with `baton up`")
    } else {
      let now = Clock.monotonicNow
      output.table(
        [["PROCESS", "PID", "STATE", "FOR", "FOOTPRINT", "PEAK", "RSS", "PEAK RSS", "WHY"]] + running
          + processes.map { $0.cells(now: now) })
      if let wallet { output.say("the wallet is \(wallet)") }
      let missing = daemons.filter { $0.1 == nil }.map(\.0)
      if let process = byHand.first {
        output.say(process.sentence)
      } else if !missing.isEmpty {
        output.say("\(missing.joined(separator: " and ")) not running; start with `baton up`")
      }
    }
    if withLimits, let limits { output.say(limits.sentence) }
  }

  /// The peak of a daemon's footprint is not recorded.
  private static func cells(_ name: String, _ pid: Int32, _ why: String) -> [String] {
    let figures = MemoryFigures(of: pid)
    func size(_ bytes: UInt64?) -> String { bytes.map(HumanText.megabytes) ?? "" }
    return [
      name, "\(pid)", ProcessTable.isStopped(pid) ? "stopped" : "running", age(of: pid),
      size(figures?.footprintBytes), "", size(figures?.residentBytes), size(figures?.peakResidentBytes), why,
    ]
  }

  /// The kernel counts starts in hundredths of a second since boot.
  private static func age(of pid: Int32) -> String {
    guard let ticks = ProcessTable.startTime(of: pid).flatMap({ Int64(exactly: $0) }) else { return "" }
    let (nanoseconds, overflowed) = ticks.multipliedReportingOverflow(by: 10_000_000)
    return overflowed ? "" : HumanText.span(Clock().bootClock - Instant(nanoseconds: nanoseconds))
  }
}

/// The extension's limits and how they are enforced, as iosd reports them.
extension LimitFacts {
  var sentence: String {
    guard enforced else { return "limits of the extension: none; \(memoryExactness)" }
    let bytes = HumanText.grouped(memoryBytes)
    let seconds = HumanText.seconds(.milliseconds(timeMs))
    let whyNot = noGroupBecause.map { " (\(memoryExactness)); no memory cgroup: \($0)" } ?? ""
    return
      "limits of the extension: \(bytes) bytes by \(memoryMechanism)\(whyNot); \(seconds) s per push by a timer"
  }
}
