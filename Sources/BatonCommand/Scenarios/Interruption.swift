import CLinux
import DaemonRuntime
import Glibc

/// ^C, or a polite kill, while real processes run that must not be left behind.
final class Interruption {
  /// Thrown to whoever plays, so that the phone is taken down on the way out.
  struct Interrupted: Error {}

  let descriptor: Int32

  init() throws(SystemError) {
    // Nor may a reader of our output that goes away (`| head`) leave them behind.
    signal(SIGPIPE, SIG_IGN)
    descriptor = baton_signal_descriptor(-1, 1 << UInt64(SIGINT) | 1 << UInt64(SIGTERM) | 1 << UInt64(SIGHUP))
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  func check() throws {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    if poll(&waiting, 1, 0) > 0 { throw Interrupted() }
  }
}
