import CLinux

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
}
