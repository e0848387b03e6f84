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

  /// The path of a program, else of our own, from the kernel; nil if the process is gone or not accessible.
  public static func program(of pid: Int32? = nil) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/\(pid.map(String.init) ?? "self")/exe", &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
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

/// The network connections of a child, as far as its parent can access them.
public enum ProcessSockets {
  /// Shuts down each network connection of a process, as iOS does for a suspended process. The duplicates are
  /// closed at once: an open duplicate would hide the process's death from its peer.
  public static func endConnections(of process: ChildProcess) -> (ended: Int, obstacle: SystemError?) {
    var count = 0
    var obstacle: SystemError?
    let descriptors: [Int32]
    do throws(SystemError) { descriptors = try ProcessTable.descriptors(of: process.identity.pid) } catch {
      // If the process has just ended, the kernel has closed all of them.
      return (0, ProcessTable.isAlive(process.identity, boot: process.identity.boot) ? error : nil)
    }
    for descriptor in descriptors {
      let duplicate = baton_pidfd_getfd(process.pidfd, descriptor)
      guard duplicate >= 0 else {
        // A descriptor that was closed meanwhile is fine.
        if errno != EBADF && errno != ESRCH {
          obstacle = obstacle ?? SystemError("copy a descriptor of process \(process.identity.pid)")
        }
        continue
      }
      defer { close(duplicate) }
      if isToNetwork(duplicate), shutdown(duplicate, Int32(SHUT_RDWR)) == 0 { count += 1 }
    }
    return (count, obstacle)
  }

  /// Why connections of other processes cannot be shut down on this machine; nil if they can. Probed on this
  /// process itself, which detects an old kernel or a system call filter, but not a lack of rights on a child.
  public static var obstacle: SystemError? {
    let own = baton_pidfd_open(getpid())
    guard own >= 0 else { return SystemError("watch a process") }
    defer { close(own) }
    let duplicate = baton_pidfd_getfd(own, own)
    guard duplicate >= 0 else { return SystemError("copy a descriptor of another process") }
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

/// A process's memory use, from `/proc/PID/status`.
public struct MemoryFigures: Hashable, Sendable {
  /// Anonymous memory and swap, the equivalent of iOS's footprint.
  public var footprintBytes: UInt64
  public var residentBytes: UInt64
  /// The kernel's highest resident size so far; it keeps no such figure of the footprint.
  public var peakResidentBytes: UInt64

  public init(footprintBytes: UInt64, residentBytes: UInt64, peakResidentBytes: UInt64) {
    self.footprintBytes = footprintBytes
    self.residentBytes = residentBytes
    self.peakResidentBytes = peakResidentBytes
  }

  /// Bytes that this process has allocated and not freed; exact, where the kernel counts pages.
  public static var heapBytes: UInt64 { baton_heap_bytes() }

  /// nil when the process is gone, or a zombie (which has no memory).
  public init?(of pid: Int32) {
    guard pid > 0, let text = SmallFile.read("/proc/\(pid)/status", limit: 8192) else { return nil }
    self.init(status: text)
  }

  init?(status text: [UInt8]) {
    var anonymous: UInt64?
    var swapped: UInt64?
    var resident: UInt64?
    var peakResident: UInt64?
    // Parse only the relevant of some 60 lines: iosd polls this file for each process.
    for line in text.split(separator: UInt8(ascii: "\n"))
    where line.first == UInt8(ascii: "V") || line.first == UInt8(ascii: "R") {
      let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard words.count >= 2, let kilobytes = UInt64(String(decoding: words[1], as: UTF8.self)) else {
        continue
      }
      let (bytes, overflowed) = kilobytes.multipliedReportingOverflow(by: 1024)
      if overflowed { return nil }
      switch String(decoding: words[0], as: UTF8.self) {
      case "RssAnon:": anonymous = bytes
      case "VmSwap:": swapped = bytes
      case "VmRSS:": resident = bytes
      case "VmHWM:": peakResident = bytes
      default: continue
      }
    }
    guard let anonymous, let resident else { return nil }
    let (footprint, overflowed) = anonymous.addingReportingOverflow(swapped ?? 0)
    if overflowed { return nil }
    self.init(
      footprintBytes: footprint, residentBytes: resident, peakResidentBytes: max(resident, peakResident ?? 0))
  }
}

extension Role {
  /// The name of its program.
  public var processName: String { self == .app ? "mainappd" : "notifyextd" }
}
