import DaemonRuntime
import Glibc

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
