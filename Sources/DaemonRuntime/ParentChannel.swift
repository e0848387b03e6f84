import CLinux
import Glibc

/// What a daemon that was started by iosd finds: its channel.
public enum ParentChannel {
  /// The descriptor that leads to iosd, nil when the process was started by hand. It asks the kernel to be killed
  /// with its parent, for parents that have not done so.
  public static func take() -> Int32? {
    guard let text = getenv(ChildProcess.channelVariable), let descriptor = Int32(String(cString: text)),
      descriptor > 2, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    else { return nil }
    // Children of this process must not take the channel for theirs.
    unsetenv(ChildProcess.channelVariable)
    _ = baton_die_with_parent(SIGKILL)
    return descriptor
  }
}
