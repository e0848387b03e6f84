import DaemonRuntime
import Ground
import PhonePolicy

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
  /// Nil if iosd does not run or does not report limits.
  static func of(_ phone: Phone) -> LimitFacts? { (try? phone.facts())?.limits }

  var sentence: String {
    guard enforced else { return "limits of the extension: none; \(memoryExactness)" }
    let bytes = HumanText.grouped(memoryBytes)
    let seconds = HumanText.seconds(.milliseconds(timeMs))
    let whyNot = noGroupBecause.map { " (\(memoryExactness)); no memory cgroup: \($0)" } ?? ""
    return
      "limits of the extension: \(bytes) bytes by \(memoryMechanism)\(whyNot); \(seconds) s per push by a timer"
  }
}
