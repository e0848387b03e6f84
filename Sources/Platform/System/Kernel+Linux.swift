#if os(Linux)
  import Glibc
  import Ground

  extension Kernel {
    // MARK: Clocks and boot

    /// CLOCK_MONOTONIC: does not count sleep, and cannot be set. The clock of cores and timers.
    public static var now: Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_MONOTONIC)) }

    /// CLOCK_BOOTTIME: time since boot with sleep, the same for all processes.
    public static var bootClock: Instant { Instant(nanoseconds: nanoseconds(of: CLOCK_BOOTTIME)) }

    public static var boot: BootID {
      contents(of: "/proc/sys/kernel/random/boot_id").flatMap { bootID($0) } ?? unknownBoot
    }

    // MARK: Processes

    /// Nil if there is no such process. The start time is in ticks since boot.
    public static func processStatus(of pid: Int32) -> ProcessStatus? {
      guard pid > 0, let line = contents(of: "/proc/\(pid)/stat") else { return nil }
      return parse(stat: line)
    }

    /// Parses `/proc/PID/stat`. The second field is a name that may contain spaces and parentheses: count fields
    /// after the last parenthesis.
    static func parse(stat line: [UInt8]) -> ProcessStatus? {
      guard let end = line.lastIndex(of: UInt8(ascii: ")")) else { return nil }
      let fields = line[(end + 1)...].split(separator: UInt8(ascii: " "))
      guard fields.count > 19, let state = fields[0].first,
        let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
        let flags = UInt64(String(decoding: fields[6], as: UTF8.self)),
        let startTime = UInt64(String(decoding: fields[19], as: UTF8.self))
      else { return nil }
      var status = ProcessStatus(
        state: state, parent: parent, isExiting: flags & exitingFlag != 0, startTime: startTime)
      // The exit code field. It has the signal of a stop from the moment when the stop begins, before the state says so;
      // older kernels only set it for dead processes.
      if fields.count > 49, !status.isStopped {
        // The last field ends in a line break.
        let digits = fields[49].prefix { $0 != UInt8(ascii: "\n") }
        let code = Int32(String(decoding: digits, as: UTF8.self)) ?? 0
        if code != 0 && !stopSignals.contains(code) { status.isExiting = true }
      }
      return status
    }

    private static let stopSignals = [SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU]

    /// PF_EXITING.
    private static let exitingFlag: UInt64 = 4

    // MARK: Locks

    /// The list is read in pieces and changes in between: a lock that was held all the time may appear twice in one
    /// reading and be missing in another. Read until two readings in a row are equal, or this often.
    private static let readingsMax = 24

    /// All file locks of all processes, from `/proc/locks`; nil if it cannot be read.
    public static func locks() -> [KernelLock]? {
      var locks: [KernelLock] = []
      var before: Set<KernelLock>?
      for _ in 0..<readingsMax {
        guard let text = contents(of: "/proc/locks") else { return nil }
        let reading = parse(locks: text)
        locks = joined(older: locks, newer: reading)
        let named = Set(reading)
        if before == named { break }
        before = named
      }
      return locks
    }

    /// The newer reading's locks, plus the older one's for files that the newer one does not name.
    static func joined(older: [KernelLock], newer: [KernelLock]) -> [KernelLock] {
      var seen: Set<KernelLock> = []
      let once = newer.filter { seen.insert($0).inserted }
      return once + older.filter { old in !once.contains { $0.isOn(device: old.device, inode: old.inode) } }
    }

    /// Lines like `1: FLOCK ADVISORY WRITE 3683 fe:00:16220837 0 EOF`; waiting locks have `->` in second place.
    /// Parsed by bytes: this is read often, and splitting characters costs several times as much.
    static func parse(locks text: [UInt8]) -> [KernelLock] {
      text.split(separator: UInt8(ascii: "\n")).compactMap { line in
        let words = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 8, words[1] != "->", let pid = Int32(words[4]), let start = Int64(words[6])
        else { return nil }
        let place = words[5].utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
          .map { Substring($0) }
        guard place.count == 3, let major = UInt64(place[0], radix: 16),
          let minor = UInt64(place[1], radix: 16), let inode = UInt64(place[2])
        else { return nil }
        return KernelLock(
          kind: words[1], isExclusive: words[3] == "WRITE", pid: pid, device: device(major, minor),
          inode: inode,
          start: start, end: words[7] == "EOF" ? nil : Int64(words[7]))
      }
    }

    /// The device number as in `stat`.
    private static func device(_ major: UInt64, _ minor: UInt64) -> UInt64 {
      (major & ~0xFFF) << 32 | (minor & ~0xFF) << 12 | (major & 0xFFF) << 8 | minor & 0xFF
    }

    // MARK: Files

    /// O_PATH, the same on all architectures of Swift; Swift cannot import it from the C header.
    private static let pathOnly: Int32 = 0o10000000

    /// Opens a name in a directory (AT_FDCWD: any path), only for `fstat` and `openat`; a link itself unless it is
    /// to be followed. Negative with `errno`.
    public static func openPlace(_ name: String, in directory: Int32, followsLink: Bool) -> Int32 {
      openat(directory, name, pathOnly | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
    }

    /// Makes written data, or a directory's new names, survive a power loss.
    public static func makeDurable(_ descriptor: Int32) { fsync(descriptor) }

    /// A non-blocking, close-on-exec datagram socket. Negative with `errno`.
    public static func datagramSocket() -> Int32 {
      socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    public static func times(of status: stat) -> (modified: timespec, changed: timespec) {
      (status.st_mtim, status.st_ctim)
    }

    /// Nil if the system has no entropy yet.
    public static func randomNumber() -> UInt64? {
      var number: UInt64 = 0
      return getentropy(&number, MemoryLayout<UInt64>.size) == 0 ? number : nil
    }

    /// Reads a file of `/proc`, whose size is unknown.
    private static func contents(of path: String) -> [UInt8]? {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      while true {
        var count = 0
        bytes += [UInt8](unsafeUninitializedCapacity: 4096) { buffer, filled in
          count = read(descriptor, buffer.baseAddress!, buffer.count)
          filled = max(0, count)
        }
        if count == 0 { return bytes }
        if count < 0 && errno != EINTR { return nil }
      }
    }
  }
#endif
