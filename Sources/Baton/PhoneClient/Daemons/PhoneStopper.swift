import Ground
import JSON
import DaemonRuntime
import Glibc

/// Ends the daemons of a phone in good order: the phone first, as its processes still speak to the provider.
package struct PhoneStopper {
  package struct Ended: Sendable {
    package var daemon: Daemon
    /// Nil for what was left alone.
    package var pid: Int32?
    /// In words.
    package var how: String
    package var wasKilled = false

    package var sentence: String { "\(daemon.rawValue) \(pid.map { "\($0) " } ?? "is left alone: ")\(how)" }
  }

  /// iosd gives its processes five seconds, and then ends them itself.
  private static let patience = TimeSpan.seconds(15)

  package let phone: Phone

  package init(phone: Phone) {
    self.phone = phone
  }

  /// Only those that ran. Whoever starts this phone meanwhile is let finish, and who comes after us waits, so that nobody
  /// takes a daemon that is about to end for one that is up. A lock that cannot be had keeps nobody from ending.
  package func stop() -> [Ended] {
    let lock = try? StartLock(phone, patience: Self.patience + Self.patience)
    defer { withExtendedLifetime(lock) {} }
    return [Daemon.iosd, .lspd].compactMap(stop)
  }

  private func stop(_ daemon: Daemon) -> Ended? {
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .stranger(let sentence) = listener { return Ended(daemon: daemon, how: sentence) }
    guard case .ours(let pid) = listener, let process = WatchedProcess(pid: pid) else { return nil }
    // The number may have become another process's before we held a descriptor of it: then that one listens no more.
    guard DaemonProbe.pid(listeningOn: phone.socket(of: daemon)) == pid else { return nil }
    if let objection = DaemonIdentity(daemon: daemon, phone: phone).objection(to: process) {
      return process.hasEnded ? nil : Ended(daemon: daemon, how: objection)
    }
    // Asked over its socket it says why it ends; who does not listen any more is asked by signal.
    if let client = try? phone.connect(to: daemon) {
      try? client.send(ControlMessage("down"))
      if process.waitForEnd(within: Self.patience) { return ended(daemon, process) }
    } else {
      process.send(SIGTERM)
      if process.waitForEnd(within: Self.patience) { return ended(daemon, process) }
    }
    process.send(SIGKILL)
    _ = process.waitForEnd(within: Self.patience)
    _ = process.reap()
    return Ended(
      daemon: daemon, pid: pid, how: "did not end within 15 s of being asked and was killed", wasKilled: true)
  }

  private func ended(_ daemon: Daemon, _ process: WatchedProcess) -> Ended {
    _ = process.reap()
    let how =
      lastWords(daemon, pid: process.pid).map { "ended: \($0)" } ?? "ended without a last word in its journal"
    return Ended(daemon: daemon, pid: process.pid, how: how, wasKilled: false)
  }

  private func lastWords(_ daemon: Daemon, pid: Int32) -> String? {
    let suffix = "-\(daemon.rawValue)-\(pid)"
    guard let file = FilePath.journals(in: phone.journal).last(where: { $0.contains(suffix) }),
      let last = FilePath.lastLines(of: "\(phone.journal)/\(file)", count: 1).last,
      let line = JSONValue(parsing: Array(last.utf8)), line["kind"]?.text == "end"
    else { return nil }
    return line["reason"]?.text
  }
}
