import CLinux
import Ground
import DaemonRuntime
import Glibc

/// One process that is waited for, by a descriptor that cannot come to mean another one.
final class WatchedProcess {
  let pid: Int32
  let descriptor: Int32

  /// Nil when there is no such process.
  init?(pid: Int32) {
    self.pid = pid
    descriptor = baton_pidfd_open(pid)
    if descriptor < 0 { return nil }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var hasEnded: Bool { waits(milliseconds: 0) }

  /// Whether it ended in time.
  func waitForEnd(within span: TimeSpan) -> Bool {
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
  func send(_ signal: Int32) -> Bool { baton_pidfd_send_signal(descriptor, signal) == 0 }

  /// For one that we started ourselves: takes its status, so that it does not stay a zombie. Nil for others.
  func reap() -> Int32? {
    var status: Int32 = 0
    return waitpid(pid, &status, WNOHANG) == pid ? status : nil
  }
}
