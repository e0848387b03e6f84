import CLinux
import Glibc
import Ground
import Platform

/// Facts about processes from the kernel, beyond those of `Platform`. A pid alone is never an identity: pids are
/// reused.
public enum ProcessTable {
  static func status(of pid: Int32) -> ProcessStatus? { Kernel.processStatus(of: pid) }

  public static func startTime(of pid: Int32) -> UInt64? { status(of: pid)?.startTime }

  public static func current(boot: BootID) -> ProcessIdentity { Kernel.ownIdentity(boot: boot) }

  public static func isAlive(_ identity: ProcessIdentity, boot: BootID) -> Bool {
    Kernel.isAlive(identity, boot: boot)
  }

  /// Whether the process is certain to end: it is dead, exiting, or has SIGKILL pending. False if there is no such
  /// process.
  public static func isEnding(_ pid: Int32) -> Bool {
    guard let status = status(of: pid) else { return false }
    return status.isDead || status.isExiting || hasKillPending(pid)
  }

  /// For any fatal signal the kernel queues SIGKILL to each thread of the process.
  private static func hasKillPending(_ pid: Int32) -> Bool {
    let lines = (SmallFile.read("/proc/\(pid)/status", limit: 8192) ?? []).split(
      separator: UInt8(ascii: "\n"))
    return lines.contains { line in
      let words = line.split(separator: UInt8(ascii: "\t")).map { String(decoding: $0, as: UTF8.self) }
      guard words.count == 2, words[0] == "SigPnd:" || words[0] == "ShdPnd:" else { return false }
      return UInt64(words[1], radix: 16).map { $0 & 1 << UInt64(SIGKILL - 1) != 0 } ?? false
    }
  }

  /// The pids of a process's children in ascending order, zombies included.
  public static func children(of parent: Int32) -> [Int32] {
    (DirectoryListing.names(of: "/proc") ?? []).compactMap { Int32($0) }
      .filter { status(of: $0)?.parent == parent }.sorted()
  }

  /// The first 15 bytes of its program's name; nil if there is no such process.
  public static func name(of pid: Int32) -> String? {
    SmallFile.read("/proc/\(pid)/comm", limit: 64).map {
      String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
  }

  /// Whether the process is stopped by a signal or a tracer; false if there is no such process.
  public static func isStopped(_ pid: Int32) -> Bool { status(of: pid)?.isStopped ?? false }

  /// Its open descriptors in ascending order. Throws if the process is gone or not accessible.
  static func descriptors(of pid: Int32) throws(SystemError) -> [Int32] {
    guard let names = DirectoryListing.names(of: "/proc/\(pid)/fd") else {
      throw SystemError("list the descriptors of process \(pid)")
    }
    return names.compactMap { Int32($0) }.sorted()
  }

  /// A pidfd of exactly this process: the start time is compared after the opening, in case the pid was reused in
  /// between. Nil if the process is gone. The caller closes it.
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
