import PhoneClient
import Terminal
import Ground
import DaemonRuntime
import Reports
import WalletProfiles

/// The outcome of many pushes on many phones, and its problems.
struct PushReport {
  let wallet: WalletProfile
  let timers: PushTimers
  let outcomes: [PushCrowd.Outcome]
  let isDebugBuild: Bool
  /// The judge's findings on all phones.
  let findings: [String]
  let took: TimeSpan

  /// The problems as sentences; empty if all is well.
  var problems: [String] {
    // A debug build has no time limit: no extension is killed for it.
    outcomes.enumerated().flatMap { index, outcome in
      let frozen = isDebugBuild ? 0 : outcome.frozen
      return outcome.evidence.problems(limit: timers.extensionTime, frozen: frozen).map {
        "phone \(index + 1): \($0)"
      } + SoakReport(subjects: outcome.subjects).problems
    } + findings
  }

  private var pushes: Int { outcomes.map(\.evidence.pushes.count).reduce(0, +) }
  private var payments: Int { outcomes.map(\.payments).reduce(0, +) }
  private var untouched: Int { outcomes.map(\.untouched).reduce(0, +) }
  private var lost: Int { outcomes.map(\.lost).reduce(0, +) }
  private var told: Int {
    outcomes.map { outcome in
      outcome.evidence.pushes.count { push in outcome.evidence.notifications.contains { $0.push == push.id } }
    }.reduce(0, +)
  }
  private var processes: Int { outcomes.map(\.evidence.processes.count).reduce(0, +) }
  private var frozen: Int { outcomes.map(\.frozen).reduce(0, +) }
  private var killed: Int { outcomes.map(\.killed).reduce(0, +) }
  private var killedForTime: Int { outcomes.map(\.evidence.killedForTime).reduce(0, +) }
  private var peakFootprintBytes: UInt64 { outcomes.map(\.evidence.peakFootprintBytes).max() ?? 0 }
  private var peakResidentBytes: UInt64 { outcomes.map(\.evidence.peakResidentBytes).max() ?? 0 }

  /// From the push to its notification, the shortest first.
  private var waits: [TimeSpan] { outcomes.flatMap(\.evidence.waits).sorted() }

  private func wait(_ percent: Int) -> TimeSpan {
    let waits = waits
    return waits.isEmpty ? .zero : waits[min(waits.count - 1, waits.count * percent / 100)]
  }

  private func growth(_ daemon: Daemon) -> Int {
    outcomes.flatMap(\.subjects).filter { $0.name.hasPrefix(daemon.rawValue) }.map { subject in
      let grown = Double(subject.after.heapBytes ?? 0) - Double(subject.before.heapBytes ?? 0)
      return Int((grown / Double(subject.rounds)).rounded())
    }.max() ?? 0
  }

  func tell(_ output: Output) {
    let problems = problems
    output.say(
      "\(pushes) pushes about \(payments) payments on \(outcomes.count) phones in \(HumanText.span(took)), with \(timers == .real ? "real timers" : "timers scaled to a fiftieth")"
    )
    output.say(
      "the wallet is \(wallet.name): \(untouched) payments received before the user opened the app, \(told) pushes told to the user, \(lost) payments lost to the end of their hold"
    )
    output.say(
      "from the push to its notification: median \(HumanText.span(wait(50))), 99th percentile \(HumanText.span(wait(99))), maximum \(HumanText.span(wait(100)))"
    )
    output.say(
      "\(processes) extension processes; \(frozen) frozen at work, \(killed) killed at work, \(killedForTime) killed at the time limit"
    )
    output.say(
      "the extension's peak: footprint \(HumanText.megabytes(peakFootprintBytes)), resident \(HumanText.megabytes(peakResidentBytes))"
    )
    output.say("heap growth per push, at most: iosd \(growth(.iosd)) bytes, lspd \(growth(.lspd)) bytes")
    for problem in problems { output.say(output.paint(problem, .red)) }
    output.say(
      problems.isEmpty
        ? output.paint(
          "each push has exactly one notification, no process exceeded a limit, and nothing leaked", .green)
        : output.paint("failed: see the lines above", .red))
  }

  struct Document: Report {
    var wallet: String
    var timers: String
    var phones: Int
    var pushes: Int
    var payments: Int
    /// Settled when the user next opened the app.
    var receivedUntouched: Int
    /// Pushes with a notification.
    var told: Int
    /// Payments whose hold ended before the user opened the app.
    var lostToHold: Int
    var processes: Int
    var stoppedAtWork: Int
    var killedAtWork: Int
    var killedForTime: Int
    /// Time from a push to its notification.
    var waitMedianMs: Int64
    var waitP99Ms: Int64
    var waitLongestMs: Int64
    var peakFootprintBytes: UInt64
    var peakResidentBytes: UInt64
    var iosdHeapBytesPerPush: Int
    var lspdHeapBytesPerPush: Int
    var tookMs: Int64
    var complaints: [String]
    var sound: Bool
  }

  var document: Document {
    Document(
      wallet: wallet.name, timers: timers.rawValue, phones: outcomes.count, pushes: pushes,
      payments: payments,
      receivedUntouched: untouched, told: told, lostToHold: lost, processes: processes, stoppedAtWork: frozen,
      killedAtWork: killed, killedForTime: killedForTime,
      waitMedianMs: wait(50).wholeMilliseconds, waitP99Ms: wait(99).wholeMilliseconds,
      waitLongestMs: wait(100).wholeMilliseconds, peakFootprintBytes: peakFootprintBytes,
      peakResidentBytes: peakResidentBytes, iosdHeapBytesPerPush: growth(.iosd),
      lspdHeapBytesPerPush: growth(.lspd), tookMs: took.wholeMilliseconds, complaints: problems,
      sound: problems.isEmpty)
  }
}
