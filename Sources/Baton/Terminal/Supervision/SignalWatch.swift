import CLinux
import Ground
import DaemonRuntime
import Glibc

/// Receives interrupting signals, and the end of children, through a signalfd.
package final class SignalWatch {
  private let descriptor: Int32
  private var before = sigset_t()
  private var repeats = RepeatedSignals()

  /// For interruptions and the end of children.
  static func ofWorker() throws(SystemError) -> SignalWatch {
    // With SIGCHLD ignored the kernel would reap children itself.
    signal(SIGCHLD, SIG_DFL)
    return try SignalWatch(Interruption.handled.map(\.rawValue) + [SIGCHLD])
  }

  /// For work that prints a result when interrupted. ^\ still ends it at once.
  package static func ofOwnWork() throws(SystemError) -> SignalWatch {
    try SignalWatch(Interruption.handled.filter { $0 != .quitByKey }.map(\.rawValue))
  }

  private init(_ signals: [Int32]) throws(SystemError) {
    pthread_sigmask(SIG_SETMASK, nil, &before)
    descriptor = baton_signal_descriptor(-1, signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1) })
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  /// In a child: restores the signal mask.
  func letGo() {
    close(descriptor)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Returns at the deadline, when a child has ended, or with an interruption.
  package func wait(until deadline: Instant?) -> Interruption? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = deadline.map { max(0, ($0 - Clock.monotonicNow).wholeMilliseconds + 1) }
    _ = poll(&waiting, 1, left.map { Int32(clamping: $0) } ?? -1)
    return arrived()
  }

  /// The interruption since the last call, if any.
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
