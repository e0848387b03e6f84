import Ground
import CLinux
import Glibc

/// What the kernel says about processes. A pid alone is never an identity: it is used again.
public enum ProcessTable {
  /// What counts of `/proc/PID/stat`.
  struct Status {
    var state: UInt8
    var parent: Int32
    /// The kernel has begun to take it apart, or the signal that it dies of has been sent.
    var isExiting: Bool
    var startTime: UInt64
  }

  /// PF_EXITING.
  private static let exitingFlag: UInt64 = 4

  static func status(of pid: Int32) -> Status? {
    guard pid > 0, let line = SmallFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
    return parse(stat: line)
  }

  /// The second field is a name that may hold spaces and parentheses: counting starts after the last one.
  static func parse(stat line: [UInt8]) -> Status? {
    guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let state = fields[0].first,
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let flags = UInt64(String(decoding: fields[6], as: UTF8.self)),
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    // Of a process that is stopped it is the signal that did it; older kernels tell it of the dead alone.
    let isStopped = state == UInt8(ascii: "T") || state == UInt8(ascii: "t")
    let hasExitCode = fields.count > 49 && !isStopped && fields[49].first != UInt8(ascii: "0")
    return Status(
      state: state, parent: parent, isExiting: flags & exitingFlag != 0 || hasExitCode, startTime: startTime)
  }

  public static func startTime(of pid: Int32) -> UInt64? { status(of: pid)?.startTime }

  public static func identity(of pid: Int32, boot: BootID) -> ProcessIdentity? {
    startTime(of: pid).map { ProcessIdentity(pid: pid, startTime: $0, boot: boot) }
  }

  public static func current(boot: BootID) -> ProcessIdentity {
    let pid = getpid()
    return ProcessIdentity(pid: pid, startTime: startTime(of: pid) ?? 0, boot: boot)
  }

  /// A zombie is dead: it holds no lock and no descriptor any more.
  public static func isAlive(_ identity: ProcessIdentity, boot: BootID) -> Bool {
    guard identity.boot == boot, let status = status(of: identity.pid) else { return false }
    return status.startTime == identity.startTime && !status.isDead
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
  public static func isStopped(_ pid: Int32) -> Bool {
    guard let state = status(of: pid)?.state else { return false }
    return state == UInt8(ascii: "T") || state == UInt8(ascii: "t")
  }

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

extension ProcessTable.Status {
  /// It only waits for its parent to take notice.
  var isDead: Bool { state == UInt8(ascii: "Z") || state == UInt8(ascii: "X") }
}
