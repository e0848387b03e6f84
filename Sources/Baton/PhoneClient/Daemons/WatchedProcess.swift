import CLinux
import Ground
import DaemonRuntime
import Glibc

/// A process held by a pidfd, which cannot come to refer to another process.
package final class WatchedProcess {
  package let pid: Int32
  package let descriptor: Int32

  /// Nil if there is no such process.
  package init?(pid: Int32) {
    self.pid = pid
    descriptor = baton_pidfd_open(pid)
    if descriptor < 0 { return nil }
  }

  /// Exactly this process, not a later one of its pid. Nil if it is gone.
  package init?(_ identity: ProcessIdentity, boot: BootID) throws(SystemError) {
    guard let pidfd = try ProcessTable.openPidfd(identity, boot: boot) else { return nil }
    pid = identity.pid
    descriptor = pidfd
  }

  /// The pid may have been reused before the pidfd was opened: the listener is looked up again.
  package convenience init?(listeningOn socket: String) {
    guard let pid = DaemonProbe.pid(listeningOn: socket) else { return nil }
    self.init(pid: pid)
    guard DaemonProbe.pid(listeningOn: socket) == pid else { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  package var hasEnded: Bool { waits(milliseconds: 0) }

  /// Whether it ended in time.
  package func waitForEnd(within span: TimeSpan) -> Bool {
    let deadline = Clock.monotonicNow + span
    while true {
      let left = (deadline - Clock.monotonicNow).wholeMilliseconds
      if waits(milliseconds: Int32(clamping: max(0, left))) { return true }
      if left <= 0 { return false }
    }
  }

  private func waits(milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }

  @discardableResult
  package func send(_ signal: Int32) -> Bool { baton_pidfd_send_signal(descriptor, signal) == 0 }

  /// Its next allocation of a page fails.
  package func denyMemory() -> Bool { baton_deny_memory(pid) == 0 }

  /// Reaps a child of this process; nil for others.
  package func reap() -> Int32? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? status : nil
  }
}
