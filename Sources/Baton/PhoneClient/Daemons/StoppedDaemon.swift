import DaemonRuntime
import Glibc

/// A daemon that is stopped: the kernel takes connections for it, but nothing would ever come over them.
struct StoppedDaemon: CustomStringConvertible {
  let description: String

  /// Nil when it goes on. A tracer stops its process for moments, so we look twice.
  init?(_ daemon: Daemon, pid: Int32) {
    guard ProcessTable.isStopped(pid) else { return nil }
    poll(nil, 0, 50)
    guard ProcessTable.isStopped(pid) else { return nil }
    description =
      "\(daemon.rawValue) \(pid) is stopped (SIGSTOP or a debugger); `kill -CONT \(pid)` lets it go on"
  }
}
