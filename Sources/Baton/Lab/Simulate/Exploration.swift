import Ground
import DaemonRuntime
import Foundation
import Simulation

/// Runs an exploration on several threads. The result does not depend on their number.
package struct Exploration {
  private static let placesAtATime = 256
  private static let progressInterval = TimeSpan.seconds(1)

  private let jobs: Int
  private let limits: ExploreLimits
  /// The limit that ended it before all states were visited.
  private(set) var reached: ExploreLimits.Reached?
  private(set) var explorer: Explorer
  private let start = Clock.monotonicNow
  private var end: Instant?

  init(_ settings: ExploreSettings, jobs: Int, statesMax: Int = .max) {
    self.init(settings, jobs: jobs, limits: ExploreLimits(states: statesMax))
  }

  init(_ settings: ExploreSettings, jobs: Int, limits: ExploreLimits) {
    self.jobs = jobs
    self.limits = limits
    explorer = Explorer(settings)
  }

  package var took: TimeSpan { (end ?? Clock.monotonicNow) - start }

  /// Runs until all states are visited, an invariant breaks, or a limit is reached. `progress` is called about once a
  /// second.
  package mutating func run(progress: (Exploration) -> Void = { _ in }) {
    var tellAt = start + Self.progressInterval
    while !explorer.isDone, isAllowed() {
      var next = 0
      while next < explorer.waiting, isAllowed() {
        let ranges = (0..<jobs).map { job in
          let first = min(next + job * Self.placesAtATime, explorer.waiting)
          return first..<min(first + Self.placesAtATime, explorer.waiting)
        }
        for expansions in expand(ranges) { explorer.take(expansions) }
        next += jobs * Self.placesAtATime
        if Clock.monotonicNow >= tellAt {
          tellAt = Clock.monotonicNow + Self.progressInterval
          progress(self)
        }
      }
      if next >= explorer.waiting { explorer.finishLayer() }
    }
    end = Clock.monotonicNow
  }

  private mutating func isAllowed() -> Bool {
    reached = reached ?? limits.reached(states: explorer.states, took: took)
    return reached == nil
  }

  private func expand(_ ranges: [Range<Int>]) -> [[Explorer.Expansion]] {
    let results = Locked([[Explorer.Expansion]](repeating: [], count: ranges.count))
    let explorer = explorer
    DispatchQueue.concurrentPerform(iterations: ranges.count) { job in
      let expansions = explorer.expand(ranges[job])
      results.withLock { $0[job] = expansions }
    }
    return results.withLock { $0 }
  }
}
