import CLinux
import Glibc

/// What a crash leaves behind, and what it would tell: the memory of our programs holds the wallet's seed, the keychain's
/// key and the peer's.
public enum CrashTraces {
  /// The first thing that each program does. /proc and the children's descriptors stay within reach of this user, as a
  /// phone looks after its processes by them: it keeps images of memory from files, and nothing from this user.
  public static func withholdMemory() { _ = baton_dump_no_core() }

  /// Swift's own report of a crash shows bytes of memory for each register, and would stand in the log of a daemon. Whoever
  /// looks for a mistake of ours sets the variable.
  public static func withholdReports() { setenv("SWIFT_BACKTRACE", "enable=no", 0) }
}
