import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel noted when it was connected.
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

  /// The same user as this process: nobody else is spoken to at a phone's sockets, also not the superuser, so that what is
  /// said at one end is never another's words at the other.
  public var isOurs: Bool { user == geteuid() }

  /// Of whoever listens at a path; nil when nobody does.
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
