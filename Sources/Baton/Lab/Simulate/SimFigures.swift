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
        "\(HumanText.grouped(total.deliveredEvents)) delivered, \(grouped(Double(total.deliveredEvents) / seconds)) a second"
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

  func document(took: TimeSpan, cut: SimCut? = nil) -> Document {
    let seconds = max(1e-9, Double(took.nanoseconds) / 1e9)
    return Document(
      seeds: seeds, seedsAsked: cut?.asked ?? seeds, stoppedAfterBroken: cut != nil,
      simulatedMs: total.simulated.wholeMilliseconds, tookMs: took.wholeMilliseconds,
      events: total.deliveredEvents, eventsPerSecond: UInt64(Double(total.deliveredEvents) / seconds),
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

/// A campaign that ended early, after `brokenMax` broken seeds.
package struct SimCut: Sendable {
  /// The number of seeds run, without a gap from the first.
  package let run: UInt64
  package let asked: UInt64

  package var sentence: String {
    "stopped after \(SimCampaign.brokenMax) broken seeds: \(HumanText.grouped(run)) of \(HumanText.grouped(asked)) run"
  }

  /// The last JUnit case: not every seed was run.
  var junitCase: JUnitFile.Case {
    JUnitFile.Case(
      name: "Every seed was run.", outcome: .error("the run was stopped early", details: sentence))
  }
}

// Baton/Lab: the verbs of the simulation.
/// Runs a range of seeds on several threads. The result does not depend on their number: outcomes are counted in the
/// order of seeds.
final class SimCampaign: Sendable {
  private static let seedsAtATime: UInt64 = 16
  /// The campaign ends after this many broken seeds.
  static let brokenMax = 100
  private static let progressInterval = TimeSpan.seconds(1)

  private struct Outcome: Sendable {
    var result: RunResult
    var took: TimeSpan
  }

  private struct State {
    /// The first seed that no thread has taken.
    var next: UInt64
    /// The first seed whose outcome is not counted yet.
    var counted: UInt64
    /// Finished parts that wait for earlier ones, by their first seed.
    var early: [UInt64: [Outcome]] = [:]
    var figures = SimFigures()
    /// `brokenMax` is reached: later seeds do not count.
    var isOver = false
    var toldAt: Instant
  }

  private let range: SeedRange
  private let jobs: Int
  private let settings: @Sendable (UInt64) -> RunSettings
  /// Ends after this many broken seeds; nil to run every seed.
  private let brokenMax: Int?
  /// The writer of `--results`, if any.
  private let results: ResultWriter?
  /// The writer of `--junit`, if any.
  private let junit: JUnitWriter?
  /// The options of `baton replay` that repeat a run.
  private let words: @Sendable (RunSettings) -> String
  private let state: Locked<State>

  init(
    _ range: SeedRange, jobs: Int, brokenMax: Int? = nil, results: ResultWriter? = nil,
    junit: JUnitWriter? = nil, words: @escaping @Sendable (RunSettings) -> String = { "--seed \($0.seed)" },
    settings: @escaping @Sendable (UInt64) -> RunSettings
  ) {
    self.range = range
    self.jobs = jobs
    self.brokenMax = brokenMax
    self.results = results
    self.junit = junit
    self.words = words
    self.settings = settings
    state = Locked(State(next: range.first, counted: range.first, toldAt: Clock.monotonicNow))
  }

  /// `progress` is called about once a second, by one of the threads.
  func run(progress: @escaping @Sendable (SimFigures) -> Void) -> SimFigures {
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in work(progress) }
    return state.withLock { $0.figures }
  }

  private func work(_ progress: (SimFigures) -> Void) {
    while let part = takePart() {
      var outcomes: [Outcome] = []
      for seed in part {
        let start = Clock.monotonicNow
        guard let result = run(seed) else { return }
        outcomes.append(Outcome(result: result, took: Clock.monotonicNow - start))
      }
      if let toTell = add(outcomes, at: part.lowerBound) { progress(toTell) }
    }
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

  private func takePart() -> ClosedRange<UInt64>? {
    state.withLock { state in
      guard !state.isOver, state.next <= range.last else { return nil }
      let last = min(range.last, state.next + Self.seedsAtATime - 1)
      defer { state.next = last + 1 }
      return state.next...last
    }
  }

  /// The figures for `progress`, once an interval has passed.
  private func add(_ outcomes: [Outcome], at first: UInt64) -> SimFigures? {
    let now = Clock.monotonicNow
    return state.withLock { state in
      state.early[first] = outcomes
      while let part = state.early.removeValue(forKey: state.counted) {
        state.counted += UInt64(part.count)
        count(part, &state)
      }
      guard now - state.toldAt >= Self.progressInterval else { return nil }
      state.toldAt = now
      return state.figures
    }
  }

  private func count(_ part: [Outcome], _ state: inout State) {
    for outcome in part where !state.isOver {
      junit?.add(
        JUnitFile.Case(outcome.result, words: words(settings(outcome.result.seed)), took: outcome.took))
      state.figures.add(outcome.result)
      state.isOver = brokenMax.map { state.figures.broken.count >= $0 } ?? false
    }
  }
}

/// Progress of long work on stderr: on a terminal one line that is overwritten, otherwise a line every ten seconds.
final class ProgressLine: Sendable {
  private static let interval = TimeSpan.seconds(10)

  private let isTerminal = isatty(standardError) == 1
  private let isQuiet: Bool
  private let toldAt = Locked(Clock.monotonicNow)

  /// `isQuiet`: nothing on a terminal; logs still get their lines.
  init(isQuiet: Bool) { self.isQuiet = isQuiet }

  func tell(_ sentence: String) {
    if isTerminal {
      if !isQuiet { writeAll(standardError, Array("\u{1b}[2K\r\(sentence)".utf8)) }
      return
    }
    let isTime = toldAt.withLock { toldAt in
      guard Clock.monotonicNow - toldAt >= Self.interval else { return false }
      toldAt = Clock.monotonicNow
      return true
    }
    if isTime { writeAll(standardError, Array("baton: \(sentence)\n".utf8)) }
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
