import Ground
import DaemonRuntime
import PhonePolicy

/// The processes of one phone.
enum PsVerb: Verb {
  static var declaration: CommandLineDeclaration {
    CommandLineDeclaration(
      name: "ps", summary: "list the daemons and the wallet's processes",
      options: [OptionDeclaration("-a", "--all", help: "also ended processes, and why they ended")],
      examples: [("baton ps --all", "every process that this phone has run")])
  }

  static func run(_ invocation: Invocation) throws -> ExitCode {
    let phone = try invocation.phone
    try StatusVerb.requirePhone(phone)
    let all = invocation.line.isGiven("-a")
    let pids = Daemon.allCases.map { ($0, DaemonProbe.pid(listeningOn: phone.socket(of: $0))) }
    // A stopped iosd would never answer.
    let iosd = pids.first { $0.0 == .iosd }?.1
    let canAsk = iosd.map { !ProcessTable.isStopped($0) } ?? false
    let rows = try walletRows(phone, all: all, canAsk: canAsk, isUp: iosd != nil)
    let limits = canAsk ? LimitsReport(phone) : nil
    let handRun = HandRunProcess.all(of: phone)
    if invocation.output.isJSON {
      invocation.output.say(
        Document(
          wallet: HomeWallet.name(of: phone), iosd: iosd, lspd: pids.first { $0.0 == .lspd }?.1,
          byHand: handRun.map(\.document),
          processes: rows.map(\.document),
          limits: limits?.facts))
    } else {
      tell(pids, handRun, rows, phone, invocation.output)
      if all, let limits { invocation.output.say(limits.sentence) }
    }
    return .done
  }

  /// The ledger has all ended processes; iosd has the running ones, and rows that a full disk kept out of the ledger.
  private static func walletRows(
    _ phone: Phone, all: Bool, canAsk: Bool, isUp: Bool
  ) throws -> [ProcessFacts] {
    var rows = all || isUp && !canAsk ? ProcessRow.written(in: phone.processLedger) : []
    if canAsk {
      let request = ControlMessage("ps", ["all": all ? "yes" : "no"])
      rows += try phone.ask(.iosd, request, for: [ProcessRow].self)
    }
    let suspended = canAsk ? try suspendedApp(phone) : nil
    let measured = canAsk ? try phone.ask(.iosd, ControlMessage("memory"), for: MemoryFacts.self) : nil
    return rows.lastOfEach.filter { all || !$0.hasEnded }.map { row in
      guard !row.hasEnded else { return ProcessFacts(row) }
      var row = row
      // Current figures come from the kernel; only iosd keeps the footprint's peak.
      let figures = row.role == Role.app.rawValue ? measured?.app : measured?.extension
      row.peakFootprintBytes = figures?.peakFootprintBytes ?? row.peakFootprintBytes
      return ProcessFacts(row, isSuspended: row.pid == suspended, memory: MemoryFigures(of: row.pid))
    }
  }

  private static func suspendedApp(_ phone: Phone) throws -> Int32? {
    let app = try phone.facts().app
    return app.state == "suspended" ? app.pid : nil
  }

  private static func tell(
    _ daemons: [(Daemon, Int32?)], _ handRun: [HandRunProcess], _ rows: [ProcessFacts], _ phone: Phone,
    _ output: Output
  ) {
    let running =
      daemons.compactMap { daemon, pid in pid.map { cells(daemon.rawValue, $0, "") } }
      + handRun.map { cells($0.processName, $0.pid, "started by hand") }
    if running.isEmpty && rows.isEmpty {
      output.say("no process runs in \(phone.home); start the phone with `baton up`")
      return
    }
    let now = Clock.monotonicNow
    output.table(
      [["PROCESS", "PID", "STATE", "FOR", "FOOTPRINT", "PEAK", "RSS", "PEAK RSS", "WHY"]] + running
        + rows.map { $0.cells(now: now) })
    if let wallet = HomeWallet.name(of: phone) { output.say("the wallet is \(wallet)") }
    let missing = daemons.filter { $0.1 == nil }.map(\.0.rawValue)
    if let byHand = handRun.first {
      output.say(byHand.sentence)
    } else if !missing.isEmpty {
      output.say("\(missing.joined(separator: " and ")) not running; start with `baton up`")
    }
  }

  private static func cells(_ name: String, _ pid: Int32, _ why: String) -> [String] {
    [name, "\(pid)", ProcessTable.isStopped(pid) ? "stopped" : "running", age(of: pid)] + memory(of: pid) + [
      why
    ]
  }

  /// The peak of a daemon's footprint is not recorded.
  private static func memory(of pid: Int32) -> [String] {
    guard let figures = MemoryFigures(of: pid) else { return ["", "", "", ""] }
    return [
      HumanText.megabytes(figures.footprintBytes), "", HumanText.megabytes(figures.residentBytes),
      HumanText.megabytes(figures.peakResidentBytes),
    ]
  }

  /// The kernel counts starts in hundredths of a second since boot.
  private static func age(of pid: Int32) -> String {
    guard let ticks = ProcessTable.startTime(of: pid).flatMap({ Int64(exactly: $0) }) else { return "" }
    let (nanoseconds, overflowed) = ticks.multipliedReportingOverflow(by: 10_000_000)
    return overflowed ? "" : HumanText.span(Clock().bootClock - Instant(nanoseconds: nanoseconds))
  }

  struct Document: Report {
    /// phoenix or bitkit.
    var wallet: String?
    /// The pids of the running daemons.
    var iosd: Int32?
    var lspd: Int32?
    var byHand: [HandRunProcess.Document]
    var processes: [Joined<ProcessFacts.Now, ProcessRow>]
    var limits: LimitFacts?
  }
}
