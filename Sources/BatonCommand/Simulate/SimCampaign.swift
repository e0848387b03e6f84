import CoreShape
import DaemonRuntime
import Foundation
import Simulation
import Synchronization

/// Runs a range of seeds on several threads. What comes out does not depend on how many there are.
final class SimCampaign: Sendable {
  private static let seedsAtATime: UInt64 = 16
  /// More broken seeds than anybody reads are not looked for.
  private static let brokenMax = 100
  private static let progressInterval = Span.seconds(1)

  private struct State {
    var next: UInt64
    var figures = SimFigures()
    var toldAt: Instant
  }

  private let range: SeedRange
  private let jobs: Int
  private let settings: @Sendable (UInt64) -> RunSettings
  /// Where each seed's own result goes, if anywhere.
  private let results: ResultWriter?
  /// Where its outcome goes, if anywhere.
  private let junit: JUnitWriter?
  private let state: Mutex<State>

  init(
    _ range: SeedRange, jobs: Int, results: ResultWriter? = nil, junit: JUnitWriter? = nil,
    settings: @escaping @Sendable (UInt64) -> RunSettings
  ) {
    self.range = range
    self.jobs = jobs
    self.results = results
    self.junit = junit
    self.settings = settings
    state = Mutex(State(next: range.first, toldAt: Clock.monotonicNow))
  }

  /// `progress` is called about once a second, by one of the threads.
  func run(progress: @escaping @Sendable (SimFigures) -> Void) -> SimFigures {
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in work(progress) }
    return state.withLock { $0.figures }
  }

  private func work(_ progress: (SimFigures) -> Void) {
    while let part = takePart() {
      var sum = SimFigures()
      for seed in part {
        let start = Clock.monotonicNow
        guard let result = run(seed) else { return }
        junit?.add(JUnitFile.Case(result, took: Clock.monotonicNow - start))
        sum.add(SimFigures(result))
      }
      if let toTell = add(sum) { progress(toTell) }
    }
  }

  /// Nil when there is no use in going on.
  private func run(_ seed: UInt64) -> RunResult? {
    guard let results else {
      var run = SeedRun(settings(seed))
      return run.run()
    }
    var story = WorldStory()
    var run = SeedRun(settings(seed), isHeard: true)
    let result = run.run { story.listen(to: &$0) }
    return results.write(result, story) ? result : nil
  }

  private func takePart() -> ClosedRange<UInt64>? {
    state.withLock { state in
      guard state.next <= range.last else { return nil }
      // Whoever wants the result of each seed wants all of them.
      guard results != nil || state.figures.broken.count < Self.brokenMax else { return nil }
      let last = min(range.last, state.next + Self.seedsAtATime - 1)
      defer { state.next = last + 1 }
      return state.next...last
    }
  }

  /// What is to be told, when it is time.
  private func add(_ sum: SimFigures) -> SimFigures? {
    let now = Clock.monotonicNow
    return state.withLock { state in
      state.figures.add(sum)
      guard now - state.toldAt >= Self.progressInterval else { return nil }
      state.toldAt = now
      return state.figures
    }
  }
}
