// Written against Apple's documentation and headers. The package's tests run on Linux, where this file is parsed
// but not compiled: see docs/adopt.md before you rely on it.

#if canImport(Darwin)
  import Darwin
  import Ground

  extension Kernel {
    // MARK: Clocks and boot

    /// CLOCK_UPTIME_RAW: does not count sleep, and cannot be set. On Darwin CLOCK_MONOTONIC counts sleep and is
    /// derived from the wall clock.
    public static var now: Instant { Instant(nanoseconds: nanoseconds(ofRaw: CLOCK_UPTIME_RAW)) }

    /// CLOCK_MONOTONIC_RAW: time since boot with sleep, the same for all processes.
    public static var bootClock: Instant { Instant(nanoseconds: nanoseconds(ofRaw: CLOCK_MONOTONIC_RAW)) }

    private static func nanoseconds(ofRaw clock: clockid_t) -> Int64 {
      Int64(clamping: clock_gettime_nsec_np(clock))
    }

    /// `kern.bootsessionuuid`, new at each boot. Not KERN_BOOTTIME: that changes when the wall clock is set, and
    /// one boot would look like two.
    public static var boot: BootID {
      var text = [UInt8](repeating: 0, count: 64)
      var size = text.count
      guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return unknownBoot }
      return bootID(text.prefix(size)) ?? unknownBoot
    }

    // MARK: Processes

    /// Nil if there is no such process, and in iOS's sandbox for every other process. The start time is in
    /// microseconds since 1970, recorded at the process's start.
    public static func processStatus(of pid: Int32) -> ProcessStatus? {
      guard pid > 0 else { return nil }
      var question: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
      var facts = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.stride
      // For an unknown pid the result is empty, not an error.
      guard sysctl(&question, UInt32(question.count), &facts, &size, nil, 0) == 0,
        size == MemoryLayout<kinfo_proc>.stride, facts.kp_proc.p_pid == pid
      else { return nil }
      let start = facts.kp_proc.p_un.__p_starttime
      return ProcessStatus(
        state: letter(ofState: Int32(facts.kp_proc.p_stat)), parent: facts.kp_eproc.e_ppid,
        isExiting: facts.kp_proc.p_flag & exitingFlag != 0,
        startTime: UInt64(clamping: Int64(start.tv_sec)) &* 1_000_000
          &+ UInt64(clamping: Int64(start.tv_usec)))
    }

    /// P_WEXIT.
    private static let exitingFlag: Int32 = 0x2000

    /// The states of <sys/proc.h>: 1 being created, 2 running, 3 sleeping, 4 stopped, 5 zombie.
    private static func letter(ofState state: Int32) -> UInt8 {
      switch state {
      case 1: UInt8(ascii: "I")
      case 3: UInt8(ascii: "S")
      case 4: UInt8(ascii: "T")
      case 5: UInt8(ascii: "Z")
      default: UInt8(ascii: "R")
      }
    }

    // MARK: Locks

    /// Darwin has no list of all locks. F_GETLK could find the holder of one lock, but closing its descriptor would
    /// drop SQLite's own locks. Role locks only need `flock`, whose locks belong to the open file and end with it,
    /// as on Linux. (F_OFD_SETLK does the same for ranges; only newer SDKs declare it, and it is not used here.)
    public static func locks() -> [KernelLock]? { nil }

    // MARK: Files

    /// Opens a name in a directory (AT_FDCWD: any path), only for `fstat` and `openat`; a link itself unless it is
    /// to be followed. Negative with `errno`. Darwin has no O_PATH, so it must be readable; opening a pipe does not
    /// block.
    public static func openPlace(_ name: String, in directory: Int32, followsLink: Bool) -> Int32 {
      openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLink ? 0 : O_SYMLINK))
    }

    /// On Darwin `fsync` leaves the data in the disk's cache. Not every file system supports F_FULLFSYNC.
    public static func makeDurable(_ descriptor: Int32) {
      if fcntl(descriptor, F_FULLFSYNC) != 0 { fsync(descriptor) }
    }

    /// A non-blocking, close-on-exec datagram socket. Negative with `errno`.
    public static func datagramSocket() -> Int32 {
      let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
      guard descriptor >= 0 else { return descriptor }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
      return descriptor
    }

    public static func times(of status: stat) -> (modified: timespec, changed: timespec) {
      (status.st_mtimespec, status.st_ctimespec)
    }

    /// Never nil. Not `getentropy`, which App Store review has rejected as a private API.
    public static func randomNumber() -> UInt64? {
      var number: UInt64 = 0
      arc4random_buf(&number, MemoryLayout<UInt64>.size)
      return number
    }
  }
#endif
