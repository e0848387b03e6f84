import Ground
import DaemonRuntime
import Glibc

/// Held while the daemons of a phone are started or ended: two concurrent starts would take each other's daemons for
/// failed ones. The kernel releases it when its process dies.
final class StartLock {
  private let descriptor: Int32

  init(_ phone: Phone, timeout: TimeSpan, isInterrupted: () -> Bool = { false }) throws {
    descriptor = try PlainFile.open("\(phone.os)/up.lock", O_RDWR | O_CREAT)
    let deadline = Clock.monotonicNow + timeout
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if isInterrupted() {
        throw CommandFailure(.interrupted, "interrupted while another `baton up` or `baton down` ran")
      }
      guard Clock.monotonicNow < deadline else {
        throw CommandFailure(
          .daemonMissing,
          "another `baton up` or `baton down` of \(phone.home) is still running; wait for it, or end it")
      }
      poll(nil, 0, 20)
    }
  }

  deinit { close(descriptor) }
}
