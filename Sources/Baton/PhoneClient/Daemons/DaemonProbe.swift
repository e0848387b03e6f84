import DaemonRuntime
import Glibc

/// Finds out which process listens on a control socket, from the socket itself: a pid in a file may be old.
package enum DaemonProbe {
  package enum Listener {
    case nobody
    case ours(pid: Int32)
    /// Not to be spoken to, and not to be ended: why, and what to do.
    case stranger(String)
  }

  package static func look(at path: String) -> Listener {
    do throws(SystemError) {
      guard let peer = try PeerCredentials.listener(at: path), peer.pid > 0 else { return .nobody }
      if peer.isOurs { return .ours(pid: peer.pid) }
      return .stranger(
        "process \(peer.pid) of the user \(peer.user) listens on \(path); use a phone of your own")
    } catch {
      switch error.code {
      case ENOENT, ENOTDIR, EAGAIN: return .nobody
      default: return .stranger(error.description)
      }
    }
  }

  /// Nil when none of our processes listens there.
  package static func pid(listeningOn path: String) -> Int32? {
    if case .ours(let pid) = look(at: path) { pid } else { nil }
  }
}
