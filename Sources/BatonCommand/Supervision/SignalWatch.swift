import CLinux
import CoreShape
import DaemonRuntime
import Glibc

/// From its first moment on, what would interrupt this process is a descriptor that becomes readable, and so is the end of a child.
final class SignalWatch {
  private let descriptor: Int32
  private var before = sigset_t()

  init() throws(SystemError) {
    pthread_sigmask(SIG_SETMASK, nil, &before)
    // Where it is ignored, the kernel forgets our children by itself, and we would never hear of them.
    signal(SIGCHLD, SIG_DFL)
    let mask = Interruption.heeded.reduce(UInt64(1) << UInt64(SIGCHLD)) { $0 | 1 << UInt64($1.rawValue) }
    descriptor = baton_signal_descriptor(-1, mask)
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  /// In a child: signals mean what they meant before.
  func letGo() {
    close(descriptor)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Returns at the deadline, when a child has ended, or with what interrupts us.
  func wait(until deadline: Instant?) -> Interruption? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = deadline.map { max(0, ($0 - Clock.monotonicNow).wholeMilliseconds + 1) }
    _ = poll(&waiting, 1, left.map { Int32(clamping: $0) } ?? -1)
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    var found: Interruption?
    while read(descriptor, &information, size) == size {
      found = found ?? Interruption(rawValue: Int32(truncatingIfNeeded: information.ssi_signo))
    }
    return found
  }
}
