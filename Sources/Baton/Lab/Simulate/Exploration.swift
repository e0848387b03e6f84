import DaemonRuntime
import Dispatch
import Glibc
import Ground
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

/// The limits of an exploration.
struct ExploreLimits {
  enum Reached: Hashable {
    case states(Int)
    case time(TimeSpan)
    case memory(UInt64)
    case interruption(Interruption)

    /// What ended the exploration, with the option to raise.
    var sentence: String {
      switch self {
      case .states(let most): "there are more than \(HumanText.grouped(UInt64(most))) states (--states)"
      case .time(let span): "the \(HumanText.span(span)) of --max-minutes have passed"
      case .memory(let bytes): "the \(HumanText.megabytes(bytes)) of --max-memory are used up"
      case .interruption(.interrupted): "it was interrupted"
      case .interruption(let signal): "it was ended by \(signal.name)"
      }
    }

    var exitCode: ExitCode {
      switch self {
      case .states, .time, .memory: .gaveUp
      case .interruption(let signal): signal.exitCode
      }
    }
  }

  var states = Int.max
  var time: TimeSpan?
  var memoryBytes: UInt64?
  var signals: SignalWatch?

  /// Half of the machine's memory, to leave room for other programs.
  static var standardMemoryBytes: UInt64 {
    let pages = UInt64(clamping: sysconf(Int32(_SC_PHYS_PAGES)))
    let size = UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
    let (bytes, overflowed) = pages.multipliedReportingOverflow(by: size)
    return overflowed || bytes == 0 ? 1 << 32 : bytes / 2
  }

  /// Nil while no limit is reached.
  func reached(states count: Int, took: TimeSpan) -> Reached? {
    if let interruption = signals?.arrived() { return .interruption(interruption) }
    if count > states { return .states(states) }
    if let time, took >= time { return .time(time) }
    if let memoryBytes, let used = MemoryFigures(of: getpid())?.residentBytes, used >= memoryBytes {
      return .memory(memoryBytes)
    }
    return nil
  }
}
