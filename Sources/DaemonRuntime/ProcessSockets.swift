import CLinux
import Glibc

/// The network connections of a child, as far as its parent can reach them.
public enum ProcessSockets {
  /// Ends each connection to the network that a process has, as the kernel of a phone does to one that is suspended.
  /// The duplicates are closed at once: one that was kept would hide the process's death from its peer.
  @discardableResult
  public static func endConnections(of process: ChildProcess) -> Int {
    var count = 0
    for descriptor in ProcessTable.descriptors(of: process.identity.pid) {
      let duplicate = baton_pidfd_getfd(process.pidfd, descriptor)
      guard duplicate >= 0 else { continue }
      defer { close(duplicate) }
      if isToNetwork(duplicate), shutdown(duplicate, Int32(SHUT_RDWR)) == 0 { count += 1 }
    }
    return count
  }

  private static func isToNetwork(_ descriptor: Int32) -> Bool {
    var domain: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 else { return false }
    return domain == AF_INET || domain == AF_INET6
  }
}
