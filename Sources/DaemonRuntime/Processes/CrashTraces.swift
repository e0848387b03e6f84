import CLinux
import Glibc

/// Keeps secrets out of crash dumps and reports: our programs hold the wallet's seed, the keychain's key and the
/// peer's key in memory.
public enum CrashTraces {
  /// Called first in each program. It only disables core dumps: /proc and the children's descriptors stay
  /// accessible to this user, as iosd needs them.
  public static func withholdMemory() { _ = baton_dump_no_core() }

  /// Swift's crash report shows memory at each register and would end up in a daemon's log. To debug a crash, set
  /// the variable.
  public static func withholdReports() { setenv("SWIFT_BACKTRACE", "enable=no", 0) }
}
