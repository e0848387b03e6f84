import CLinux
import Glibc

/// How a child ended, and what it used.
public struct ChildEnd: Hashable, Sendable {
  public enum How: Hashable, Sendable {
    case exited(code: Int32)
    case signalled(Int32)
  }

  public var how: How
  public var peakResidentBytes: UInt64
  public var userMicroseconds: UInt64
  public var systemMicroseconds: UInt64

  /// nil while the child still runs, or when it is not a child of this process.
  public static func reap(_ pid: Int32, waiting: Bool = true) -> ChildEnd? {
    var status: Int32 = 0
    var usage = rusage()
    var result: Int32
    repeat { result = wait4(pid, &status, waiting ? 0 : WNOHANG, &usage) } while result < 0 && errno == EINTR
    guard result == pid else { return nil }
    let how: How =
      baton_wait_signalled(status) != 0
      ? .signalled(baton_wait_signal(status)) : .exited(code: baton_wait_exit_code(status))
    return ChildEnd(
      how: how, peakResidentBytes: UInt64(max(0, usage.ru_maxrss)) &* 1024,
      userMicroseconds: microseconds(usage.ru_utime), systemMicroseconds: microseconds(usage.ru_stime))
  }

  private static func microseconds(_ time: timeval) -> UInt64 {
    UInt64(max(0, time.tv_sec)) &* 1_000_000 &+ UInt64(max(0, time.tv_usec))
  }
}
