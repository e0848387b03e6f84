import Ground
import JSON
import DaemonRuntime

/// What came of many pushes on many phones, and whether that is what it should be.
struct PushReport {
  let timers: PushTimers
  let outcomes: [PushCrowd.Outcome]
  let isDebugBuild: Bool
  /// The judge's, of all phones.
  let findings: [String]
  let took: TimeSpan

  /// Sentences about what is not as it should be; none when all is well.
  var complaints: [String] {
    // A debug build has no limits, so nobody is killed for time.
    outcomes.enumerated().flatMap { index, outcome in
      let frozen = isDebugBuild ? 0 : outcome.frozen
      return outcome.evidence.complaints(limit: timers.extensionTime, frozen: frozen).map {
        "phone \(index + 1): \($0)"
      } + SoakReport(subjects: outcome.subjects).complaints
    } + findings
  }

  private var pushes: Int { outcomes.map(\.evidence.pushes.count).reduce(0, +) }
  private var payments: Int { outcomes.map(\.payments).reduce(0, +) }
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
    let complaints = complaints
    output.say(
      "\(pushes) pushes about \(payments) payments on \(outcomes.count) phones in \(HumanText.span(took)), with \(timers == .real ? "real times" : "a fiftieth of the times")"
    )
    output.say(
      "from the push to its notification: median \(HumanText.span(wait(50))), 99th percentile \(HumanText.span(wait(99))), maximum \(HumanText.span(wait(100)))"
    )
    output.say(
      "\(processes) processes of the extension; \(frozen) stopped at work, \(killed) killed at work, \(killedForTime) killed by the phone for time"
    )
    output.say(
      "its peak: \(HumanText.megabytes(peakFootprintBytes)) of its own, \(HumanText.megabytes(peakResidentBytes)) resident"
    )
    output.say("heap growth per push, at most: iosd \(growth(.iosd)) bytes, lspd \(growth(.lspd)) bytes")
    for complaint in complaints { output.say(output.paint(complaint, .red)) }
    output.say(
      complaints.isEmpty
        ? output.paint(
          "each push has exactly one notification, no process exceeded a limit, and nothing leaked", .green)
        : output.paint("failed: see the lines above", .red))
  }

  var json: JSONObject {
    var object = JSONObject()
    object.set("timers", timers.rawValue)
    object.set("phones", outcomes.count)
    object.set("pushes", pushes)
    object.set("payments", payments)
    object.set("processes", processes)
    object.set("stopped_at_work", frozen)
    object.set("killed_at_work", killed)
    object.set("killed_for_time", killedForTime)
    object.set("wait_median_ms", wait(50).wholeMilliseconds)
    object.set("wait_p99_ms", wait(99).wholeMilliseconds)
    object.set("wait_longest_ms", wait(100).wholeMilliseconds)
    object.set("peak_footprint_bytes", peakFootprintBytes)
    object.set("peak_resident_bytes", peakResidentBytes)
    object.set("iosd_heap_bytes_a_push", growth(.iosd))
    object.set("lspd_heap_bytes_a_push", growth(.lspd))
    object.set("took_ms", took.wholeMilliseconds)
    object.set("complaints", complaints)
    object.set("sound", complaints.isEmpty)
    return object
  }
}
