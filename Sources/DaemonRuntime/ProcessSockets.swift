import CLinux
import Glibc

/// The network connections of a child, as far as its parent can reach them.
public enum ProcessSockets {
  /// Ends each connection to the network that a process has, as the kernel of a phone does to one that is suspended.
  /// The duplicates are closed at once: one that was kept would hide the process's death from its peer.
  public static func endConnections(of process: ChildProcess) -> (ended: Int, obstacle: SystemError?) {
    var count = 0
    var obstacle: SystemError?
    let descriptors: [Int32]
    do throws(SystemError) { descriptors = try ProcessTable.descriptors(of: process.identity.pid) } catch {
      // Of one that has just ended, the kernel has closed all.
      return (0, ProcessTable.isAlive(process.identity, boot: process.identity.boot) ? error : nil)
    }
    for descriptor in descriptors {
      let duplicate = baton_pidfd_getfd(process.pidfd, descriptor)
      guard duplicate >= 0 else {
        // One that was closed meanwhile is no trouble.
        if errno != EBADF && errno != ESRCH {
          obstacle = obstacle ?? SystemError("take a descriptor of process \(process.identity.pid)")
        }
        continue
      }
      defer { close(duplicate) }
      if isToNetwork(duplicate), shutdown(duplicate, Int32(SHUT_RDWR)) == 0 { count += 1 }
    }
    return (count, obstacle)
  }

  /// Nil when connections of others can be ended here; else why not. A process may always look at itself, so this sees a
  /// kernel that is too old or a filter of system calls. That a child is out of reach shows with the child.
  public static var obstacle: SystemError? {
    let own = baton_pidfd_open(getpid())
    guard own >= 0 else { return SystemError("watch a process") }
    defer { close(own) }
    let duplicate = baton_pidfd_getfd(own, own)
    guard duplicate >= 0 else { return SystemError("take a descriptor of another process") }
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
