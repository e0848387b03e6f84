import Ground
import DaemonRuntime

/// Checks whether a daemon of a phone runs, before one is started.
struct RunningDaemon {
  /// iosd gives its processes five seconds, then kills them.
  private static let timeout = TimeSpan.seconds(15)

  let daemon: Daemon
  let phone: Phone

  init(_ daemon: Daemon, of phone: Phone) {
    self.daemon = daemon
    self.phone = phone
  }

  /// Nil if it does not run; waits for a daemon that is ending. Throws if it runs but does not answer: a second one
  /// could not listen on its socket.
  func pid() throws -> Int32? {
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .unusable(let sentence) = listener { throw CommandFailure(.daemonMissing, sentence) }
    guard case .ours(let pid) = listener, let process = WatchedProcess(pid: pid) else { return nil }
    if isUp { return pid }
    if let stopped = StoppedDaemon(daemon, pid: pid) {
      throw CommandFailure(.daemonMissing, stopped.description)
    }
    if process.waitForEnd(within: Self.timeout) { return nil }
    if isUp { return pid }
    throw CommandFailure(
      .daemonMissing,
      "\(daemon.rawValue) \(pid) runs but does not answer; stop it with `baton down`, then start again"
    )
  }

  /// It answers, and is not going down.
  private var isUp: Bool {
    guard let facts = try? phone.askForJSON(daemon, ControlMessage("status"), timeout: .seconds(5)) else {
      return false
    }
    return facts["going_down"]?.flag != true
  }
}
