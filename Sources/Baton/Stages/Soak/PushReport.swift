import Ground
import DaemonRuntime
import PhonePolicy
import Guardrails

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
      let problems = outcome.evidence.problems(
        limit: timers.extensionTime, strikes: outcome.strikes, hasLimits: !isDebugBuild)
      return problems.map { "phone \(index + 1): \($0)" } + SoakReport(subjects: outcome.subjects).problems
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
  private var frozen: Int { outcomes.map(\.strikes.freezes.count).reduce(0, +) }
  private var killed: Int { outcomes.map(\.strikes.killed).reduce(0, +) }
  private var afterContent: Int {
    outcomes.map { $0.evidence.strikesAfterContent($0.strikes) }.reduce(0, +)
  }
  private var silentClaims: Int { outcomes.map(\.evidence.silentClaims.count).reduce(0, +) }
  private var longestSilentWait: TimeSpan { outcomes.map(\.evidence.longestSilentWait).max() ?? .zero }
  private var killedForTime: Int { outcomes.map(\.evidence.killedForTime).reduce(0, +) }
  private var peakFootprintBytes: UInt64 { outcomes.map(\.evidence.peakFootprintBytes).max() ?? 0 }
  private var peakResidentBytes: UInt64 { outcomes.map(\.evidence.peakResidentBytes).max() ?? 0 }

  /// From the push to its notification.
  private var waits: SpanPercentiles { SpanPercentiles(outcomes.flatMap(\.evidence.waits)) }

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
      "from the push to its notification: median \(HumanText.span(waits[50])), 99th percentile \(HumanText.span(waits[99])), maximum \(HumanText.span(waits[100]))"
    )
    output.say(
      "\(processes) extension processes; \(frozen) frozen at work, \(killed) killed at work, \(killedForTime) killed at the time limit, \(afterContent) struck after their content"
    )
    output.say(
      "\(silentClaims) claims because the holder went silent; from the claimant's start at most \(HumanText.span(longestSilentWait))"
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
    /// Frozen or killed after the push had its content.
    var struckAfterContent: Int
    /// Claims made because the holder went silent, and the longest time from the claimant's start to such a claim.
    var silentClaims: Int
    var silentClaimLongestMs: Int64
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
      struckAfterContent: afterContent, silentClaims: silentClaims,
      silentClaimLongestMs: longestSilentWait.wholeMilliseconds,
      waitMedianMs: waits[50].wholeMilliseconds, waitP99Ms: waits[99].wholeMilliseconds,
      waitLongestMs: waits[100].wholeMilliseconds, peakFootprintBytes: peakFootprintBytes,
      peakResidentBytes: peakResidentBytes, iosdHeapBytesPerPush: growth(.iosd),
      lspdHeapBytesPerPush: growth(.lspd), tookMs: took.wholeMilliseconds, complaints: problems,
      sound: problems.isEmpty)
  }
}
