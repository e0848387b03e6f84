import CoreShape
import DaemonRuntime

/// The processes of one phone.
enum PsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "ps", summary: "list the daemons and the wallet's processes",
      options: [OptionDeclaration("-a", "--all", help: "also those that ended, and why")],
      examples: [("baton ps --all", "every process this phone ever ran")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = invocation.phone
    let all = invocation.line.isGiven("-a")
    let pids = Daemon.allCases.map { ($0, DaemonProbe.pid(listeningOn: phone.socket(of: $0))) }
    let rows = try walletRows(phone, all: all, isUp: pids.contains { $0.0 == .iosd && $0.1 != nil })
    if invocation.output.isJSON {
      invocation.output.say(json(pids, rows))
    } else {
      tell(pids, rows, phone, invocation.output)
    }
    return .done
  }

  /// From iosd, or from its ledger when it does not run: then nothing of it lives any more.
  private static func walletRows(_ phone: Phone, all: Bool, isUp: Bool) throws -> [ProcessFacts] {
    if isUp {
      let answer = try phone.askForJSON(.iosd, ControlMessage("ps", ["all": all ? "yes" : "no"]))
      return (answer.elements ?? []).compactMap(ProcessFacts.init)
    }
    return all ? ProcessFacts.ledger(phone.processLedger) : []
  }

  private static func tell(
    _ daemons: [(Daemon, Int32?)], _ rows: [ProcessFacts], _ phone: Phone, _ output: Output
  ) {
    let running = daemons.compactMap { daemon, pid in
      pid.map { [daemon.rawValue, "\($0)", "running", "", "", ""] }
    }
    if running.isEmpty && rows.isEmpty {
      output.say("nothing runs in \(phone.home); start it with `baton up`")
      return
    }
    let now = Clock.monotonicNow
    output.table(
      [["PROCESS", "PID", "STATE", "FOR", "PEAK", "WHY"]] + running + rows.map { $0.cells(now: now) })
    let missing = daemons.filter { $0.1 == nil }.map(\.0.rawValue)
    if !missing.isEmpty {
      output.say("\(missing.joined(separator: " and ")) not running; start with `baton up`")
    }
  }

  private static func json(_ daemons: [(Daemon, Int32?)], _ rows: [ProcessFacts]) -> String {
    var object = JSONObject()
    for (daemon, pid) in daemons { object.set(daemon.rawValue, ifPresent: pid) }
    object.set("processes", raw: "[\(rows.map(\.json).joined(separator: ","))]")
    return object.text
  }
}

/// One row of iosd's process ledger.
struct ProcessFacts: Hashable, Sendable {
  var id: UInt64
  var role: String
  var pid: Int32
  var launchReason: String?
  var startedAt: Int64
  var endedAt: Int64?
  var reason: String?
  var peakFootprintBytes: UInt64?
  private var object: JSONValue

  init?(_ object: JSONValue) {
    guard let id = object["id"]?.uint, let role = object["role"]?.text,
      let pid = object["pid"]?.int.flatMap({ Int32(exactly: $0) }), let started = object["started_at_ns"]?.int
    else { return nil }
    self.id = id
    self.role = role
    self.pid = pid
    self.object = object
    launchReason = object["launch_reason"]?.text
    startedAt = started
    endedAt = object["ended_at_ns"]?.int
    reason = object["reason"]?.text
    peakFootprintBytes = object["peak_footprint_bytes"]?.uint
  }

  /// Each process is written at its start and again at its end: the last row counts.
  static func ledger(_ path: String) -> [ProcessFacts] {
    guard let bytes = SmallFile.read(path, limit: 64 * 1024 * 1024) else { return [] }
    var rows: [ProcessFacts] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let facts = JSONValue(parsing: Array(line)).flatMap(ProcessFacts.init) else { continue }
      if let index = rows.lastIndex(where: { $0.id == facts.id }) {
        rows[index] = facts
      } else {
        rows.append(facts)
      }
    }
    return rows
  }

  var processName: String { role == "app" ? "mainappd" : role == "extension" ? "notifyextd" : role }
  var hasEnded: Bool { reason != nil || endedAt != nil }

  func cells(now: Instant) -> [String] {
    let end = endedAt.map { Instant(nanoseconds: $0) } ?? now
    let peak = peakFootprintBytes.map { "\($0 / 1024 / 1024).\($0 / 1024 % 1024 * 10 / 1024) MB" } ?? ""
    return [
      processName, "\(pid)", hasEnded ? "ended" : "running",
      HumanText.span(end - Instant(nanoseconds: startedAt)), peak,
      [launchReason, reason].compactMap { $0 }.joined(separator: "; "),
    ]
  }

  var json: String {
    var row = JSONObject()
    row.set("process", processName)
    row.set("role", role)
    row.set("pid", pid)
    row.set("state", hasEnded ? "ended" : "running")
    row.set("started_at_ns", startedAt)
    row.set("ended_at_ns", ifPresent: endedAt)
    row.set("launch_reason", ifPresent: launchReason)
    row.set("reason", ifPresent: reason)
    row.set("how", ifPresent: object["how"]?.text)
    row.set("number", ifPresent: object["number"]?.int)
    row.set("peak_footprint_bytes", ifPresent: peakFootprintBytes)
    row.set("peak_resident_bytes", ifPresent: object["peak_resident_bytes"]?.uint)
    row.set("cpu_us", ifPresent: object["cpu_us"]?.uint)
    return row.text
  }
}
