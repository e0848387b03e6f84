import CLinux
import DaemonRuntime
import Glibc

/// Signals that would end us are only noted, for work that has something to say before it ends.
final class SignalLook {
  private let descriptor: Int32

  init() throws(SystemError) {
    let heeded = Interruption.heeded.filter { $0 != .quitByKey }
    descriptor = baton_signal_descriptor(-1, heeded.reduce(UInt64(0)) { $0 | 1 << UInt64($1.rawValue) })
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  /// The number of one that has come since the last look.
  func arrived() -> Int32? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    return read(descriptor, &information, size) == size ? Int32(bitPattern: information.ssi_signo) : nil
  }
}
