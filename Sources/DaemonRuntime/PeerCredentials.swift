import CLinux
import Glibc

/// The process at the other end of a Unix socket, as recorded by the kernel at the connect.
public struct PeerCredentials: Hashable, Sendable {
  public var pid: Int32
  public var user: UInt32
  public var group: UInt32

  public init(pid: Int32, user: UInt32, group: UInt32) {
    self.pid = pid
    self.user = user
    self.group = group
  }

  init?(of descriptor: Int32) {
    self.init(pid: 0, user: 0, group: 0)
    guard baton_peer_credentials(descriptor, &pid, &user, &group) == 0 else { return nil }
  }

  /// The same user as this process: a phone's sockets serve no other user, not even root, so messages on both ends
  /// come from this user.
  public var isOurs: Bool { user == geteuid() }

  /// The listener at a path; nil if there is none.
  public static func listener(at path: String) throws(SystemError) -> PeerCredentials? {
    let socket = try UnixPath(path).connect(blockingMilliseconds: nil)
    if socket < 0 {
      switch errno {
      case ENOENT, ECONNREFUSED: return nil
      default: throw SystemError("connect to \(path)")
      }
    }
    defer { close(socket) }
    return PeerCredentials(of: socket)
  }
}
