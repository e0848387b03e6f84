import DaemonRuntime
import Glibc
import Ground

/// What one does by hand to a process of a phone.
package enum ProcessSignal: Hashable, Sendable {
  case kill
  /// The signal that ends a process by a mistake of its own.
  case crash(Int32)
  case freeze
  case thaw

  /// The kernel needs microseconds, a busy machine more.
  private static let patience = TimeSpan.seconds(10)

  /// Sends it, and waits until the process has ended, stopped, or goes on.
  package func send(to process: WatchedProcess) throws {
    let number = number
    guard process.send(number) || process.hasEnded else { throw SystemError("signal process \(process.pid)") }
    // A stopped process handles a signal other than SIGKILL only when it goes on.
    if case .crash = self { process.send(SIGCONT) }
    try Wait.until("process \(process.pid) to follow signal \(number)", within: Self.patience) {
      process.hasEnded || hasTakenEffect(process)
    }
    switch self {
    case .kill, .crash: break
    case .freeze, .thaw:
      if process.hasEnded { throw CommandFailure(.notDone, "process \(process.pid) has ended meanwhile") }
    }
  }

  private func hasTakenEffect(_ process: WatchedProcess) -> Bool {
    switch self {
    case .kill, .crash: process.hasEnded
    case .freeze: ProcessTable.isStopped(process.pid)
    case .thaw: !ProcessTable.isStopped(process.pid)
    }
  }

  private var number: Int32 {
    switch self {
    case .kill: SIGKILL
    case .crash(let number): number
    case .freeze: SIGSTOP
    case .thaw: SIGCONT
    }
  }
}
