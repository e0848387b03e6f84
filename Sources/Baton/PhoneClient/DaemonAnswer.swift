import DaemonRuntime
import Ground
import PhonePolicy

/// A daemon's answer, or why there is none.
package enum DaemonAnswer<Facts: Report> {
  /// No process listens on the socket.
  case notRunning
  /// It runs but does not answer: why, and what to do.
  case silent(String)
  case said(Facts)

  /// Long enough for a busy machine, and short for a verb that only looks.
  private static var timeout: TimeSpan { .seconds(5) }

  package init(to message: ControlMessage, from daemon: Daemon, of phone: Phone) {
    let pid: Int32
    switch DaemonProbe.look(at: phone.socket(of: daemon)) {
    case .ours(let listener): pid = listener
    case .noProcess:
      self = .notRunning
      return
    case .unusable(let sentence):
      self = .silent(sentence)
      return
    }
    if let stopped = StoppedDaemon(daemon, pid: pid) {
      self = .silent(stopped.description)
      return
    }
    do {
      self = .said(try phone.ask(daemon, message, for: Facts.self, timeout: Self.timeout))
    } catch { self = .silent("\(daemon.rawValue) \(pid) did not answer: \(CommandFailure(error).sentence)") }
  }

  package var facts: Facts? {
    if case .said(let facts) = self { facts } else { nil }
  }

  package var isRunning: Bool {
    if case .notRunning = self { false } else { true }
  }

  /// Nil when it answered.
  package func trouble(of daemon: Daemon) -> String? {
    switch self {
    case .notRunning: "\(daemon.rawValue) does not run; start it with `baton up`"
    case .silent(let sentence): sentence
    case .said: nil
    }
  }
}

/// The two daemons of a phone.
package enum Daemon: String, CaseIterable, Sendable {
  case lspd
  case iosd

  /// How long its end may take: iosd gives its processes five seconds, then kills them.
  static let endTimeout = TimeSpan.seconds(15)
}
