import CLinux
import Glibc
import Heartbeat

/// What the kernel says about processes. A pid alone is never an identity: it is used again.
public enum ProcessTable {
  /// State letter and start time of `/proc/PID/stat`.
  struct Status {
    var state: UInt8
    var startTime: UInt64
  }

  static func status(of pid: Int32) -> Status? {
    guard pid > 0, let line = SmallFile.read("/proc/\(pid)/stat", limit: 4096) else { return nil }
    return parse(stat: line)
  }

  /// The second field is a name that may hold spaces and parentheses: counting starts after the last one.
  static func parse(stat line: [UInt8]) -> Status? {
    guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let state = fields[0].first,
      let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    return Status(state: state, startTime: startTime)
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
    let isDead = status.state == UInt8(ascii: "Z") || status.state == UInt8(ascii: "X")
    return status.startTime == identity.startTime && !isDead
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
