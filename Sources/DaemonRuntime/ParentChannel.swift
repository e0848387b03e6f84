import CLinux
import Glibc

/// The channel of a daemon that was started by iosd.
public enum ParentChannel {
  /// The channel's descriptor; nil if the process was started by hand. It also sets the parent-death signal, for
  /// parents that have not.
  public static func take() -> Int32? {
    guard let text = getenv(ChildProcess.channelVariable), let descriptor = Int32(String(cString: text)),
      descriptor > 2, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    // Children of this process must not inherit the variable.
    unsetenv(ChildProcess.channelVariable)
    _ = baton_die_with_parent(SIGKILL)
    return descriptor
  }
}
