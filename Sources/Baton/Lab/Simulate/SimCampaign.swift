// Lab: the verbs of the simulation.

import Ground
import DaemonRuntime
import Dispatch
import Simulation

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
    junit: JUnitWriter? = nil,
    words: @escaping @Sendable (RunSettings) -> String = { "--seed \($0.seed)" },
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
        JUnitFile.Case(
          outcome.result, words: words(settings(outcome.result.seed)), took: outcome.took))
      state.figures.add(SimFigures(outcome.result))
      state.isOver = brokenMax.map { state.figures.broken.count >= $0 } ?? false
    }
  }
}
