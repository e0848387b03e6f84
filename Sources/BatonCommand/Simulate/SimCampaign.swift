import CoreShape
import DaemonRuntime
import Foundation
import Simulation
import Synchronization

/// Runs a range of seeds on several threads. What comes out does not depend on how many there are.
final class SimCampaign: Sendable {
  private static let seedsAtATime: UInt64 = 16

  private let range: SeedRange
  private let settings: @Sendable (UInt64) -> RunSettings
  private let jobs: Int
  private let next: Mutex<UInt64>
  private let figures = Mutex(SimFigures())
  /// More broken seeds than anybody reads are not looked for.
  private static let brokenMax = 100

  init(_ range: SeedRange, jobs: Int, settings: @escaping @Sendable (UInt64) -> RunSettings) {
    self.range = range
    self.jobs = jobs
    self.settings = settings
    next = Mutex(range.first)
  }

  /// `progress` is called about once a second, from one thread.
  func run(progress: @escaping @Sendable (SimFigures) -> Void) -> SimFigures {
    let teller = Thread { [self] in
      while !Thread.current.isCancelled {
        Thread.sleep(forTimeInterval: 1)
        if !Thread.current.isCancelled { progress(figures.withLock { $0 }) }
      }
    }
    teller.start()
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in work() }
    teller.cancel()
    return figures.withLock { $0 }
  }

  private func work() {
    while let part = takePart() {
      var sum = SimFigures()
      for seed in part {
        var run = SeedRun(settings(seed))
        sum.add(run.run())
      }
      figures.withLock { $0.add(sum) }
    }
  }

  private func takePart() -> ClosedRange<UInt64>? {
    guard figures.withLock({ $0.broken.count < Self.brokenMax }) else { return nil }
    return next.withLock { first in
      guard first <= range.last else { return nil }
      let last = min(range.last, first + Self.seedsAtATime - 1)
      defer { first = last + 1 }
      return first...last
    }
  }
}
