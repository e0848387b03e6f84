import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// Ends the daemons of a phone: iosd first, as the wallet processes still send messages to lspd.
package struct PhoneStopper {
  package struct Ended: Report {
    var daemon: String
    var pid: Int32?
    /// Another program, or another phone's lspd, listens on its socket.
    var leftAlone = false
    /// How it ended, or why it was left alone.
    var how: String
    var killed = false
    /// The process is another phone's, which serves this one too.
    var isOfAnotherPhone = false

    enum CodingKeys: CodingKey { case daemon, pid, leftAlone, how, killed }

    var sentence: String { "\(daemon) \(pid.map { "\($0) " } ?? "was left alone: ")\(how)" }
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
    func left(_ how: String, isOfAnotherPhone: Bool = false) -> Ended {
      Ended(daemon: daemon.rawValue, leftAlone: true, how: how, isOfAnotherPhone: isOfAnotherPhone)
    }
    let listener = DaemonProbe.look(at: phone.socket(of: daemon))
    if case .unusable(let sentence) = listener { return left(sentence) }
    guard let process = WatchedProcess(listeningOn: phone.socket(of: daemon)) else { return nil }
    let pid = process.pid
    let identity = DaemonIdentity(daemon: daemon, phone: phone)
    if let home = identity.servedBy {
      let how =
        "process \(pid) is the lspd of the phone in \(home); `baton --home \(home) down` stops it"
      return left(how, isOfAnotherPhone: true)
    }
    if let objection = identity.objection(to: process) {
      return process.hasEnded ? nil : left(objection)
    }
    // Asked over its socket it records why it ends; if it no longer listens, by signal.
    let client = try? phone.connect(to: daemon)
    if (try? client?.send(ControlMessage("down"))) == nil { process.send(SIGTERM) }
    if process.waitForEnd(within: Daemon.endTimeout) { return ended(daemon, process) }
    process.send(SIGKILL)
    _ = process.waitForEnd(within: Daemon.endTimeout)
    _ = process.reap()
    return Ended(
      daemon: daemon.rawValue, pid: pid, how: "did not end within 15 s and was killed", killed: true)
  }

  private func ended(_ daemon: Daemon, _ process: WatchedProcess) -> Ended {
    _ = process.reap()
    let how =
      endReason(daemon, pid: process.pid).map { "ended: \($0)" }
      ?? "ended without an end record in its journal"
    return Ended(daemon: daemon.rawValue, pid: process.pid, how: how)
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
