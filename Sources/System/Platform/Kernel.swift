// Platform: what the libraries ask of the operating system where Linux and Apple's systems answer differently. It says
// what is so and decides nothing. What is here is the same on both; `Kernel+Linux.swift` and `Kernel+Darwin.swift` each
// answer the rest, under the same names.

import Ground

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clocks, the boot, the processes and the file locks of the system that this program runs on.
public enum Kernel {
  /// This process, as a claim and a beat name it. It does not change while the process lives: ask once and keep it.
  public static func ownIdentity(boot: BootID = Kernel.boot) -> ProcessIdentity {
    let pid = getpid()
    // 0 where the system does not say: then pid and boot are all that tells two processes apart.
    return ProcessIdentity(pid: pid, startTime: processStatus(of: pid)?.startTime ?? 0, boot: boot)
  }

  /// Whether exactly this process lives. A zombie is dead: it holds no lock and no descriptor any more. False also where
  /// the system does not tell of other processes, as in a sandbox: for people to read, never to decide about a claim.
  public static func isAlive(_ identity: ProcessIdentity, boot: BootID) -> Bool {
    guard identity.boot == boot, let status = processStatus(of: identity.pid) else { return false }
    return status.startTime == identity.startTime && !status.isDead
  }

  /// Nanoseconds since 1970, as the user has set the clock: to be shown, never to decide about a claim.
  public static var wallNanoseconds: Int64 { nanoseconds(of: CLOCK_REALTIME) }

  static func nanoseconds(of clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Lets others run for so long. For an opening that meets another one, before there is an event loop to block.
  public static func pause(milliseconds: Int32) { poll(nil, 0, milliseconds) }

  // MARK: Directories

  /// What lies in a directory, by name: sorted, without `.` and `..`; nil with `errno` when it cannot be read. What is a
  /// directory of these is for `stat` to say: not every file system tells it here.
  public static func names(of directory: String) -> [String]? {
    guard let stream = opendir(directory) else { return nil }
    defer { closedir(stream) }
    return sortedNames { readdir(stream) }
  }

  /// The same of an open directory, whatever lies at its path by now. Closes the descriptor.
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

  /// A UUID as the systems write the boot's: 32 digits in either case, with anything between them.
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

  /// What is taken for the boot where the system names none: one boot for ever. Two boots that look like one cost time;
  /// one that looks like two would make a living holder look like a past one's.
  static let unknownBoot = BootID(high: 0, low: 0)
}
