import CLinux
import Ground
import DaemonRuntime
import Glibc

/// From its first moment on, what would interrupt this process is a descriptor that becomes readable, and so is the end of a child
/// for who has some.
package final class SignalWatch {
  private let descriptor: Int32
  private var before = sigset_t()
  private var repeats = RepeatedSignals()

  /// Of what would interrupt us, and of the end of children.
  static func ofWorker() throws(SystemError) -> SignalWatch {
    // Where it is ignored, the kernel forgets our children by itself, and we would never hear of them.
    signal(SIGCHLD, SIG_DFL)
    return try SignalWatch(Interruption.heeded.map(\.rawValue) + [SIGCHLD])
  }

  /// For work that has something to say before it ends. ^\ ends it without a word.
  package static func ofOwnWork() throws(SystemError) -> SignalWatch {
    try SignalWatch(Interruption.heeded.filter { $0 != .quitByKey }.map(\.rawValue))
  }

  private init(_ signals: [Int32]) throws(SystemError) {
    pthread_sigmask(SIG_SETMASK, nil, &before)
    descriptor = baton_signal_descriptor(-1, signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1) })
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  /// In a child: signals mean what they meant before.
  func letGo() {
    close(descriptor)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Returns at the deadline, when a child has ended, or with what interrupts us.
  package func wait(until deadline: Instant?) -> Interruption? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = deadline.map { max(0, ($0 - Clock.monotonicNow).wholeMilliseconds + 1) }
    _ = poll(&waiting, 1, left.map { Int32(clamping: $0) } ?? -1)
    return arrived()
  }

  /// What has interrupted us since the last look.
  package func arrived() -> Interruption? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    var found: Interruption?
    while read(descriptor, &information, size) == size {
      let interruption = Interruption(rawValue: Int32(truncatingIfNeeded: information.ssi_signo))
      if let interruption, repeats.isNew(interruption, at: Clock.monotonicNow) {
        found = found ?? interruption
      }
    }
    return found
  }
}
