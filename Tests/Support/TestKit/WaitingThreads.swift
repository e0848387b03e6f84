import Foundation

/// A few threads that run one job after the other.
final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: 2 * ProcessInfo.processInfo.activeProcessorCount)

  /// Guards `jobs`.
  private let condition = NSCondition()
  nonisolated(unsafe) private var jobs: [UnownedJob] = []

  private init(count: Int) {
    for _ in 0..<count {
      let thread = Thread { [unowned self] in run() }
      // That of a main thread: tests recurse as programs do.
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock {
      jobs.append(job)
      condition.signal()
    }
  }

  private func run() -> Never {
    while true {
      let job = condition.withLock {
        while jobs.isEmpty { condition.wait() }
        return jobs.removeFirst()
      }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
