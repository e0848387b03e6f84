// Lab: the verbs around the simulation.

import Terminal
import Ground
import DaemonRuntime
import Foundation
import Simulation

/// Runs a range of seeds on several threads. What comes out does not depend on how many there are: the outcomes of parts are
/// taken in the order of seeds, whichever thread is done first.
final class SimCampaign: Sendable {
  private static let seedsAtATime: UInt64 = 16
  /// More broken seeds than anybody reads are not looked for.
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
    /// What was run before what comes ahead of it, by the first seed of each part.
    var early: [UInt64: [Outcome]] = [:]
    var figures = SimFigures()
    /// Nothing behind the last broken seed that is looked for counts.
    var isOver = false
    var toldAt: Instant
  }

  private let range: SeedRange
  private let jobs: Int
  private let settings: @Sendable (UInt64) -> RunSettings
  /// With so many broken seeds it ends; nil when each seed counts.
  private let brokenMax: Int?
  /// Where each seed's own result goes, if anywhere.
  private let results: ResultWriter?
  /// Where its outcome goes, if anywhere.
  private let junit: JUnitWriter?
  /// What to type for one of these runs.
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

  /// Nil when there is no use in going on.
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

  /// What is to be told, when it is time.
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
