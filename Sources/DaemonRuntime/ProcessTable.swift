import CLinux
import Glibc
import Ground
import Platform

/// What the kernel says about processes, beyond what `Platform` says of one. A pid alone is never an identity: it is used again.
public enum ProcessTable {
  static func status(of pid: Int32) -> ProcessStatus? { Kernel.processStatus(of: pid) }

  public static func startTime(of pid: Int32) -> UInt64? { status(of: pid)?.startTime }

  public static func current(boot: BootID) -> ProcessIdentity { Kernel.ownIdentity(boot: boot) }

  public static func isAlive(_ identity: ProcessIdentity, boot: BootID) -> Bool {
    Kernel.isAlive(identity, boot: boot)
  }

  /// Whether nothing can keep it alive any more: it is dead, its end has begun, or a signal that ends it is on its way
  /// to it. False when there is none.
  public static func isEnding(_ pid: Int32) -> Bool {
    guard let status = status(of: pid) else { return false }
    return status.isDead || status.isExiting || hasKillPending(pid)
  }

  /// Whatever signal is to end a process, the kernel hands SIGKILL to each of its threads.
  private static func hasKillPending(_ pid: Int32) -> Bool {
    let lines = (SmallFile.read("/proc/\(pid)/status", limit: 8192) ?? []).split(
      separator: UInt8(ascii: "\n"))
    return lines.contains { line in
      let words = line.split(separator: UInt8(ascii: "\t")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 2, words[0] == "SigPnd:" || words[0] == "ShdPnd:" else { return false }
      return UInt64(words[1], radix: 16).map { $0 & 1 << UInt64(SIGKILL - 1) != 0 } ?? false
    }
  }

  /// The numbers of those whose parent it is, the lowest first; also of the dead that it has not waited for.
  public static func children(of parent: Int32) -> [Int32] {
    (DirectoryListing.names(of: "/proc") ?? []).compactMap { Int32($0) }
      .filter { status(of: $0)?.parent == parent }.sorted()
  }

  /// The first 15 bytes of its program's name; nil when there is none.
  public static func name(of pid: Int32) -> String? {
    SmallFile.read("/proc/\(pid)/comm", limit: 64).map {
      String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  /// Whether the process is stopped by a signal or a tracer; false when there is none.
  public static func isStopped(_ pid: Int32) -> Bool { status(of: pid)?.isStopped ?? false }

  /// The numbers of its open descriptors, the lowest first. Throws when it is gone, or not ours to look at.
  static func descriptors(of pid: Int32) throws(SystemError) -> [Int32] {
    guard let names = DirectoryListing.names(of: "/proc/\(pid)/fd") else {
      throw SystemError("list the descriptors of process \(pid)")
    }
    return names.compactMap { Int32($0) }.sorted()
  }

  /// A descriptor of exactly this process: the start time is compared after the opening, so that a pid that was
  /// used again in between is not mistaken for it. nil when the process is gone. The caller closes it.
  public static func openPidfd(_ identity: ProcessIdentity, boot: BootID) throws(SystemError) -> Int32? {
    guard identity.boot == boot, identity.pid > 0 else { return nil }
    let pidfd = baton_pidfd_open(identity.pid)
    if pidfd < 0 {
      if errno == ESRCH { return nil }
      throw SystemError("watch process \(identity.pid)")
    }
    guard isAlive(identity, boot: boot) else {
      close(pidfd)
      return nil
    }
    return pidfd
  }
}
