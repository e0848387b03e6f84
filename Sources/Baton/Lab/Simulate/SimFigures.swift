import DaemonRuntime
import Dispatch
import Glibc
import Ground
import PhonePolicy
import Simulation

/// The sum of many runs.
@dynamicMemberLookup
package struct SimFigures: Sendable {
  private(set) var seeds: UInt64 = 0
  private var total = RunResult(seed: 0)
  package private(set) var broken: [RunResult] = []

  package subscript<Figure>(dynamicMember path: KeyPath<RunResult, Figure>) -> Figure { total[keyPath: path] }

  /// Adds a later seed: the broken ones stay in order.
  mutating func add(_ result: RunResult) {
    seeds += 1
    total.add(result)
    if result.violation != nil { broken.append(result) }
  }

  func progress(of range: SeedRange) -> String {
    "\(HumanText.grouped(seeds)) of \(HumanText.grouped(range.count)) seeds"
  }

  private static let storageNames = StorageFault.allCases.map(\.sentence) + ["the disk is full"]

  private var storageText: String {
    let met = zip(Self.storageNames, total.storageFaults).filter { $0.1 > 0 }
    guard !met.isEmpty else { return "no failures" }
    return shortened(met) { "\(HumanText.grouped(UInt64($0)))" }
  }

  var faultCount: Int { total.faults.reduce(0, +) }
  private var hours: Double { Double(total.simulated.nanoseconds) / 3.6e12 }
  func perHour(_ count: Int) -> Double { hours == 0 ? 0 : Double(count) / hours }

  /// Of the most frequent faults.
  private static let kindsShown = 6

  private func shortened(_ met: [(name: String, count: Int)], _ words: (Int) -> String) -> String {
    let most = met.sorted { $0.count > $1.count }.prefix(Self.kindsShown).map {
      "\($0.name) \(words($0.count))"
    }
    let rest = met.count > most.count ? ["and \(met.count - most.count) other kinds (--json)"] : []
    return (most + rest).joined(separator: ", ")
  }

  package func text(took: TimeSpan) -> [(String, String)] {
    let seconds = max(1e-9, Double(took.nanoseconds) / 1e9)
    let met = zip(FaultKind.allCases.map(\.rawValue), total.faults).filter { $0.1 > 0 }
    let kinds = shortened(met) { "\(Int(perHour($0).rounded()))" }
    return [
      ("seeds", HumanText.grouped(seeds)),
      (
        "simulated",
        "\(HumanText.hours(milliseconds: UInt64(max(0, total.simulated.wholeMilliseconds)))), \(grouped(hours * 3600 / seconds)) times faster than real time"
      ),
      (
        "events",
        "\(HumanText.grouped(total.events)) delivered, \(grouped(Double(total.events) / seconds)) a second"
      ),
      (
        "payments",
        "\(HumanText.grouped(UInt64(total.payments))), \(HumanText.grouped(UInt64(total.paid))) of them settled; \(grouped(perHour(total.payments))) per simulated hour"
      ),
      (
        "faults",
        "\(HumanText.grouped(UInt64(faultCount))), \(grouped(perHour(faultCount))) per simulated hour"
      ),
      ("", kinds.isEmpty ? "" : "per simulated hour: \(kinds)"),
      ("storage", storageText),
      (
        "suspended",
        "the app \(HumanText.grouped(UInt64(total.suspensions.app))) times, the extension \(HumanText.grouped(UInt64(total.suspensions.ofExtension))); \(total.suspensions.withLock) times with a lock in the container"
      ),
      ("waited", "\(words(total.connecting)) from opening the app to connected"),
      ("", "\(words(total.settling)) from a sender's request to the preimage"),
    ]
  }

  struct Count: Report {
    var name: String
    var count: Int
  }

  struct Document: Report {
    var seeds: UInt64
    var seedsAsked: UInt64
    var stoppedAfterBroken: Bool
    var simulatedMs: Int64
    var tookMs: Int64
    var events: UInt64
    var eventsPerSecond: UInt64
    var payments: Int
    var paid: Int
    var pushes: Int
    var appSuspensions: Int
    var extensionSuspensions: Int
    var suspensionsWithLock: Int
    var connectingMeanMs: Int64
    var settlingMeanMs: Int64
    var faults: [Count]
    var storageFaults: [Count]
    var violations: Int
    var brokenSeeds: [UInt64]
    /// The page of the first broken seed's shortest run.
    var timeline: String?
  }

  /// `asked`: less were run after `SimCampaign.brokenMax` broken ones.
  func document(took: TimeSpan, asked: UInt64) -> Document {
    let seconds = max(1e-9, Double(took.nanoseconds) / 1e9)
    return Document(
      seeds: seeds, seedsAsked: asked, stoppedAfterBroken: seeds < asked,
      simulatedMs: total.simulated.wholeMilliseconds, tookMs: took.wholeMilliseconds,
      events: total.events, eventsPerSecond: UInt64(Double(total.events) / seconds),
      payments: total.payments, paid: total.paid, pushes: total.pushes,
      appSuspensions: total.suspensions.app, extensionSuspensions: total.suspensions.ofExtension,
      suspensionsWithLock: total.suspensions.withLock,
      connectingMeanMs: total.connecting.mean.wholeMilliseconds,
      settlingMeanMs: total.settling.mean.wholeMilliseconds,
      faults: zip(FaultKind.allCases, total.faults).map { Count(name: $0.rawValue, count: $1) },
      storageFaults: storageCounts, violations: broken.count, brokenSeeds: broken.map(\.seed))
  }

  /// The faults that only other wallets can have are left out.
  private var storageCounts: [Count] {
    let isOfTelling = StorageFault.allCases.map(\.operation.isOfTelling) + [false]
    return zip(zip(Self.storageNames, total.storageFaults), isOfTelling).compactMap { fault, isOfTelling in
      isOfTelling && fault.1 == 0 ? nil : Count(name: fault.0, count: fault.1)
    }
  }

  private func words(_ waits: Waits) -> String {
    "\(HumanText.span(waits.mean)) on average, \(HumanText.span(waits.longest)) at most,"
  }

  private func grouped(_ number: Double) -> String { HumanText.grouped(UInt64(max(0, number.rounded()))) }
}

// Baton/Lab: the verbs of the simulation.
/// Runs a range of seeds on several threads. The result does not depend on their number: outcomes are counted in the
/// order of seeds.
struct SimCampaign: Sendable {
  private static let seedsAtATime: UInt64 = 64
  /// The campaign ends after this many broken seeds.
  static let brokenMax = 100

  private struct Outcome: Sendable {
    var result: RunResult
    var took: TimeSpan
  }

  let range: SeedRange
  let jobs: Int
  /// Ends after this many broken seeds; nil to run every seed.
  var brokenMax: Int?
  /// The writer of `--results`, if any.
  var results: ResultWriter?
  let settings: @Sendable (UInt64) -> RunSettings

  /// `note` is called with each result in the order of seeds, `progress` after each part.
  func run(
    note: (RunResult, _ took: TimeSpan) -> Void = { _, _ in }, progress: (SimFigures) -> Void
  ) -> SimFigures {
    var figures = SimFigures()
    var next = range.first
    while figures.seeds < range.count {
      let last =
        range.last - next < UInt64(jobs) * Self.seedsAtATime
        ? range.last : next + UInt64(jobs) * Self.seedsAtATime - 1
      let outcomes = outcomes(of: next...last)
      for seed in next...last {
        guard let outcome = outcomes[seed] else { return figures }
        note(outcome.result, outcome.took)
        figures.add(outcome.result)
        if let brokenMax, figures.broken.count >= brokenMax { return figures }
      }
      next = last &+ 1
      progress(figures)
    }
    return figures
  }

  /// Each thread takes the next seed when it is done with one. A seed is missing if its result could not be written.
  private func outcomes(of seeds: ClosedRange<UInt64>) -> [UInt64: Outcome] {
    let work = Locked((left: seeds.makeIterator(), outcomes: [UInt64: Outcome]()))
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while let seed = work.withLock({ $0.left.next() }) {
        let start = Clock.monotonicNow
        guard let result = run(seed) else { return }
        work.withLock { $0.outcomes[seed] = Outcome(result: result, took: Clock.monotonicNow - start) }
      }
    }
    return work.withLock { $0.outcomes }
  }

  /// Nil if the result could not be written.
  private func run(_ seed: UInt64) -> RunResult? {
    guard let results else {
      var run = SeedRun(settings(seed))
      return run.run()
    }
    var story = WorldStory()
    var run = SeedRun(settings(seed), isRecorded: true)
    let result = run.run { story.listen(to: &$0) }
    return results.write(result, story) ? result : nil
  }
}

/// Progress of long work on stderr: on a terminal one line that is overwritten each second, otherwise a line every ten
/// seconds.
final class ProgressLine {
  private let isTerminal = isatty(standardError) == 1
  private let isQuiet: Bool
  private var toldAt = Clock.monotonicNow

  /// `isQuiet`: nothing on a terminal; logs still get their lines.
  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func tell(_ sentence: @autoclosure () -> String) {
    let now = Clock.monotonicNow
    guard now - toldAt >= .seconds(isTerminal ? 1 : 10), !isTerminal || !isQuiet else { return }
    toldAt = now
    let text = isTerminal ? "\u{1b}[2K\r\(sentence())" : "baton: \(sentence())\n"
    writeAll(standardError, Array(text.utf8))
  }

  func end() { if isTerminal && !isQuiet { writeAll(standardError, Array("\u{1b}[2K\r".utf8)) } }
}

/// `--jobs`: on how many threads long work runs.
enum JobsOption {
  static let declaration = OptionDeclaration(
    "--jobs", value: .integer(1...256), help: "threads; default: the number of processors")

  /// By default one for each processor.
  static func number(_ line: ParsedCommandLine) -> Int {
    line.integer("--jobs").map { Int(clamping: $0) } ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
  }
}
