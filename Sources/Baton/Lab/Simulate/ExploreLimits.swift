import Ground
import DaemonRuntime
import Glibc

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
