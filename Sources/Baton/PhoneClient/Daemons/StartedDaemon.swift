import Ground
import DaemonRuntime
import Glibc

/// A daemon that we have started ourselves.
final class StartedDaemon {
  /// iosd gives its processes five seconds, and then ends them itself.
  private static let patience = TimeSpan.seconds(15)

  let daemon: Daemon
  let process: WatchedProcess
  private let log: String
  /// What others have said there before is none of its words.
  private let beginning: Int

  init(_ daemon: Daemon, program: String, arguments: [String], log: String) throws(CommandFailure) {
    self.daemon = daemon
    self.log = log
    beginning = FilePath.size(of: log)
    process = try DaemonStarter.start(program, arguments: arguments, log: log)
  }

  /// So that nothing is left of a start that failed.
  func end() {
    process.send(SIGTERM)
    if !process.waitForEnd(within: Self.patience) {
      process.send(SIGKILL)
      _ = process.waitForEnd(within: Self.patience)
    }
    _ = process.reap()
  }

  /// It has ended: with the signal, if one ended it. An exit has its last words.
  func failureOfEnd() -> CommandFailure {
    let end = ProcessEnding(process.reap())
    return failure("\(end.isBySignal ? "\(end)" : "ended") before it answered", code: end.exitCode)
  }

  /// With its last words; what it calls a mistake in how it was started is one of ours, too.
  func failure(_ what: String, code: ExitCode? = nil) -> CommandFailure {
    let lines = FilePath.lastLines(of: log, count: 8, from: beginning).map { "  \($0)" }
    let end = lines.isEmpty ? "; it said nothing" : "; its last words are in \(log):"
    return CommandFailure(
      code.flatMap { [.badConfiguration, .wrongUsage].contains($0) ? $0 : nil } ?? .daemonMissing,
      "\(daemon.rawValue) \(what)\(end)", details: lines)
  }
}
