import DaemonRuntime
import Glibc
import Ground

/// Ends the daemons of a phone: iosd first, as the wallet processes still send messages to lspd.
package struct PhoneStopper {
  package struct Ended: Sendable {
    package var daemon: Daemon
    /// Nil if the process was left alone.
    package var pid: Int32?
    /// How it ended, or why it was left alone.
    package var how: String
    package var wasKilled = false
    /// The process is another phone's, which serves this one too.
    package var isOfAnotherPhone = false

    package var sentence: String { "\(daemon.rawValue) \(pid.map { "\($0) " } ?? "was left alone: ")\(how)" }
  }

  package let phone: Phone

  /// Ends the daemons that run. Under the start lock, so that no `baton up` takes an ending daemon for a running one;
  /// also without the lock if it cannot be taken.
  package func stop() -> [Ended] {
    let lock = try? StartLock(phone, timeout: Daemon.endTimeout + Daemon.endTimeout)
    defer { withExtendedLifetime(lock) {} }
    return [Daemon.iosd, .lspd].compactMap(stop)
  }

  private func stop(_ daemon: Daemon) -> Ended? {
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .unusable(let sentence) = listener { return Ended(daemon: daemon, how: sentence) }
    guard let process = WatchedProcess(listeningOn: phone.socket(of: daemon)) else { return nil }
    let pid = process.pid
    let identity = DaemonIdentity(daemon: daemon, phone: phone)
    if let home = identity.servedBy {
      let how =
        "process \(pid) is the lspd of the phone in \(home); `baton --home \(home) down` stops it"
      return Ended(daemon: daemon, how: how, isOfAnotherPhone: true)
    }
    if let objection = identity.objection(to: process) {
      return process.hasEnded ? nil : Ended(daemon: daemon, how: objection)
    }
    // Asked over its socket it records why it ends; if it no longer listens, by signal.
    let client = try? phone.connect(to: daemon)
    if (try? client?.send(ControlMessage("down"))) == nil { process.send(SIGTERM) }
    if process.waitForEnd(within: Daemon.endTimeout) { return ended(daemon, process) }
    process.send(SIGKILL)
    _ = process.waitForEnd(within: Daemon.endTimeout)
    _ = process.reap()
    return Ended(daemon: daemon, pid: pid, how: "did not end within 15 s and was killed", wasKilled: true)
  }

  private func ended(_ daemon: Daemon, _ process: WatchedProcess) -> Ended {
    _ = process.reap()
    let how =
      endReason(daemon, pid: process.pid).map { "ended: \($0)" }
      ?? "ended without an end record in its journal"
    return Ended(daemon: daemon, pid: process.pid, how: how, wasKilled: false)
  }

  private func endReason(_ daemon: Daemon, pid: Int32) -> String? {
    let suffix = "-\(daemon.rawValue)-\(pid)"
    guard let file = FilePath.journals(in: phone.journal).last(where: { $0.contains(suffix) }),
      let last = FilePath.lastLines(of: "\(phone.journal)/\(file)", count: 1).last,
      let line = JSONValue(parsing: Array(last.utf8)), line["kind"]?.text == "end"
    else { return nil }
    return line["reason"]?.text
  }
}

/// Finds the process that listens on a control socket, from the socket itself: a pid file may be stale.
package enum DaemonProbe {
  package enum Listener {
    case noProcess
    case ours(pid: Int32)
    /// Another user's process, or an unusable socket: why, and what to do.
    case unusable(String)
  }

  package static func look(at path: String) -> Listener {
    do throws(SystemError) {
      guard let peer = try PeerCredentials.listener(at: path), peer.pid > 0 else { return .noProcess }
      if peer.isOurs { return .ours(pid: peer.pid) }
      return .unusable(
        "process \(peer.pid) of the user \(peer.user) listens on \(path); use a phone of your own")
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR, EAGAIN: return .noProcess
      default: return .unusable(error.description)
      }
    }
  }

  /// Nil if no process of this user listens there.
  package static func pid(listeningOn path: String) -> Int32? {
    if case .ours(let pid) = look(at: path) { pid } else { nil }
  }
}

/// A stopped daemon: the kernel accepts connections for it, but no answer would come.
package struct StoppedDaemon: CustomStringConvertible {
  package let description: String

  /// Nil if it is not stopped. Checked twice, as a tracer stops its process for moments.
  package init?(_ daemon: Daemon, pid: Int32) {
    guard ProcessTable.isStopped(pid) else { return nil }
    poll(nil, 0, 50)
    guard ProcessTable.isStopped(pid) else { return nil }
    description =
      "\(daemon.rawValue) \(pid) is stopped (SIGSTOP or a debugger); `baton thaw \(daemon.rawValue)` continues it"
  }
}
