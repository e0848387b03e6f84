import CLinux
import Glibc

/// The network connections of a child, as far as its parent can access them.
public enum ProcessSockets {
  /// Shuts down each network connection of a process, as iOS does for a suspended process. The duplicates are
  /// closed at once: an open duplicate would hide the process's death from its peer.
  public static func endConnections(of process: ChildProcess) -> (ended: Int, obstacle: SystemError?) {
    var count = 0
    var obstacle: SystemError?
    let descriptors: [Int32]
    do throws(SystemError) { descriptors = try ProcessTable.descriptors(of: process.identity.pid) } catch {
      // If the process has just ended, the kernel has closed all of them.
      return (0, ProcessTable.isAlive(process.identity, boot: process.identity.boot) ? error : nil)
    }
    for descriptor in descriptors {
      let duplicate = baton_pidfd_getfd(process.pidfd, descriptor)
      guard duplicate >= 0 else {
        // A descriptor that was closed meanwhile is fine.
        if errno != EBADF && errno != ESRCH {
          obstacle = obstacle ?? SystemError("copy a descriptor of process \(process.identity.pid)")
        }
        continue
      }
      defer { close(duplicate) }
      if isToNetwork(duplicate), shutdown(duplicate, Int32(SHUT_RDWR)) == 0 { count += 1 }
    }
    return (count, obstacle)
  }

  /// Why connections of other processes cannot be shut down on this machine; nil if they can. Probed on this
  /// process itself, which detects an old kernel or a system call filter, but not a lack of rights on a child.
  public static var obstacle: SystemError? {
    let own = baton_pidfd_open(getpid())
    guard own >= 0 else { return SystemError("watch a process") }
    defer { close(own) }
    let duplicate = baton_pidfd_getfd(own, own)
    guard duplicate >= 0 else { return SystemError("copy a descriptor of another process") }
    close(duplicate)
    return nil
  }

  private static func isToNetwork(_ descriptor: Int32) -> Bool {
    var domain: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 else { return false }
    return domain == AF_INET || domain == AF_INET6
  }
}
