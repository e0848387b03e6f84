import Ground
import DaemonRuntime

/// Whether a daemon of a phone runs, for whoever is about to start one.
struct RunningDaemon {
  /// iosd gives its processes five seconds, and then ends them itself.
  private static let patience = TimeSpan.seconds(15)

  let daemon: Daemon
  let phone: Phone

  init(_ daemon: Daemon, of phone: Phone) {
    self.daemon = daemon
    self.phone = phone
  }

  /// Nil when nobody runs; whoever is on its way out is waited for. Throws when somebody is there who does not answer:
  /// another one beside it would find its place taken.
  func pid() throws -> Int32? {
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .stranger(let sentence) = listener { throw CommandFailure(.daemonMissing, sentence) }
    guard case .ours(let pid) = listener, let process = WatchedProcess(pid: pid) else { return nil }
    if isUp { return pid }
    if let stopped = StoppedDaemon(daemon, pid: pid) {
      throw CommandFailure(.daemonMissing, stopped.description)
    }
    if process.waitForEnd(within: Self.patience) { return nil }
    if isUp { return pid }
    throw CommandFailure(
      .daemonMissing,
      "\(daemon.rawValue) \(pid) is there and gives no answer; take it down with `baton down`, then start again"
    )
  }

  /// It answers, and does not say that it is on its way out.
  private var isUp: Bool {
    guard let facts = try? phone.askForJSON(daemon, ControlMessage("status"), timeout: .seconds(5)) else {
      return false
    }
    return facts["going_down"]?.flag != true
  }
}
