import DaemonRuntime
import Glibc

/// Finds the process that listens on a control socket, from the socket itself: a pid file may be stale.
package enum DaemonProbe {
  package enum Listener {
    case noProcess
    case ours(pid: Int32)
    /// Another user's process, or an unusable socket: why, and what to do.
    case unusable(String)
  }

  package static func look(at path: String) -> Listener {
    do throws(SystemError) {
      guard let peer = try PeerCredentials.listener(at: path), peer.pid > 0 else { return .noProcess }
      if peer.isOurs { return .ours(pid: peer.pid) }
      return .unusable(
        "process \(peer.pid) of the user \(peer.user) listens on \(path); use a phone of your own")
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR, EAGAIN: return .noProcess
      default: return .unusable(error.description)
      }
    }
  }

  /// Nil if no process of this user listens there.
  package static func pid(listeningOn path: String) -> Int32? {
    if case .ours(let pid) = look(at: path) { pid } else { nil }
  }
}
