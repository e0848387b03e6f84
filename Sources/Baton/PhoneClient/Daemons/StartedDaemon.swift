import Ground
import DaemonRuntime
import Glibc

/// A daemon that this process has started.
final class StartedDaemon {
  /// iosd gives its processes five seconds, then kills them.
  static let timeout = TimeSpan.seconds(15)

  let daemon: Daemon
  let process: WatchedProcess
  private let log: String
  /// The log's size before the start: earlier lines are of other processes.
  private let beginning: Int

  init(_ daemon: Daemon, program: String, arguments: [String], log: String) throws(CommandFailure) {
    self.daemon = daemon
    self.log = log
    beginning = FilePath.size(of: log)
    process = try DaemonStarter.start(program, arguments: arguments, log: log)
  }

  /// Ends the daemon after a failed start.
  func end(within limit: TimeSpan) {
    process.send(SIGTERM)
    if !process.waitForEnd(within: limit) {
      process.send(SIGKILL)
      _ = process.waitForEnd(within: Self.timeout)
    }
    _ = process.reap()
  }

  /// The failure of a daemon that has ended: names the signal, if any.
  func failureOfEnd() -> CommandFailure {
    let end = ProcessEnding(process.reap())
    return failure("\(end.isBySignal ? "\(end)" : "ended") before it answered", code: end.exitCode)
  }

  /// Adds the last lines of the daemon's log. Its codes for wrong usage and configuration are passed on.
  func failure(_ what: String, code: ExitCode? = nil) -> CommandFailure {
    let lines = FilePath.lastLines(of: log, count: 8, from: beginning).map { "  \($0)" }
    let end = lines.isEmpty ? "; it printed nothing" : "; its last output is in \(log):"
    return CommandFailure(
      code.flatMap { [.badConfiguration, .wrongUsage].contains($0) ? $0 : nil } ?? .daemonMissing,
      "\(daemon.rawValue) \(what)\(end)", details: lines)
  }
}
