// Platform: calls of the operating system that differ between Linux and Darwin. It reports facts and decides
// nothing. This file is common to both; `Kernel+Linux.swift` and `Kernel+Darwin.swift` implement the rest, under
// the same names.

import Ground

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clocks, the boot, the processes and the file locks of the system that this program runs on.
public enum Kernel {
  /// This process's identity, as in a claim and a beat. It never changes while the process lives, so read it once.
  public static func ownIdentity(boot: BootID = Kernel.boot) -> ProcessIdentity {
    let pid = getpid()
    // 0 if the system does not report it: then only pid and boot distinguish processes.
    return ProcessIdentity(pid: pid, startTime: processStatus(of: pid)?.startTime ?? 0, boot: boot)
  }

  /// Whether exactly this process lives. A zombie is dead: it holds no lock and no descriptor any more. Also false
  /// where the system does not report other processes, as in a sandbox: for display only, never to decide about a
  /// claim.
  public static func isAlive(_ identity: ProcessIdentity, boot: BootID) -> Bool {
    guard identity.boot == boot, let status = processStatus(of: identity.pid) else { return false }
    return status.startTime == identity.startTime && !status.isDead
  }

  /// Nanoseconds since 1970 by the wall clock: for display only, never to decide about a claim.
  public static var wallNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Blocks for that long. For a retry before the event loop runs, when two processes open the container at once.
  public static func pause(milliseconds: Int32) { poll(nil, 0, milliseconds) }

  // MARK: Directories

  /// The names in a directory: sorted, without `.` and `..`; nil with `errno` if it cannot be read. Use `stat` for
  /// the type: not every file system has it here.
  public static func names(of directory: String) -> [String]? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    return sortedNames { readdir(stream) }
  }

  /// The same for an open directory. Closes the descriptor.
  public static func names(closing descriptor: Int32) -> [String]? {
    guard let stream = fdopendir(descriptor) else {
      let code = errno
      close(descriptor)
      errno = code
      return nil
    }
    defer { closedir(stream) }
    return sortedNames { readdir(stream) }
  }

  private static func sortedNames(_ next: () -> UnsafeMutablePointer<dirent>?) -> [String] {
    var names: [String] = []
    while let entry = next() {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  // MARK: Sockets

  /// Passes an address on as the system's calls take it.
  public static func withSocketAddress<Address, Result>(
    _ address: inout Address, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
  ) -> Result {
    var size = socklen_t(MemoryLayout<Address>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
    }
  }

  /// The address of a Unix socket; -1 with `errno` for a path that is too long.
  public static func withUnixAddress<Result: SignedInteger>(
    _ path: String, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return -1
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withSocketAddress(&address) { body($0, $1) }
  }

  /// Parses a boot UUID: 32 hexadecimal digits in either case, with any separators.
  static func bootID(_ text: some Sequence<UInt8>) -> BootID? {
    let digits = text.compactMap { byte -> UInt64? in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
      default: nil
      }
    }
    guard digits.count == 32 else { return nil }
    let join = { (part: ArraySlice<UInt64>) in part.reduce(UInt64(0)) { $0 << 4 | $1 } }
    return BootID(high: join(digits[..<16]), low: join(digits[16...]))
  }

  /// The boot id if the system reports none: constant. If two boots look like one, only time is lost; if one looked
  /// like two, a living holder would seem to be of an earlier boot.
  static let unknownBoot = BootID(high: 0, low: 0)
}
