// Written against Apple's documentation and headers. The package's tests run on Linux, where this file is parsed and not
// compiled: see docs/adopt.md before you rely on it.

#if canImport(Darwin)
  import Darwin
  import Ground

  extension Kernel {
    // MARK: Clocks and boot

    /// CLOCK_UPTIME_RAW: does not count sleep, and nobody can set it. Here CLOCK_MONOTONIC counts sleep, and is made of
    /// the wall clock.
    public static var now: Instant { Instant(nanoseconds: nanoseconds(ofRaw: CLOCK_UPTIME_RAW)) }

    /// CLOCK_MONOTONIC_RAW: time since boot with sleep, the same for all processes.
    public static var bootClock: Instant { Instant(nanoseconds: nanoseconds(ofRaw: CLOCK_MONOTONIC_RAW)) }

    private static func nanoseconds(ofRaw clock: clockid_t) -> Int64 {
      Int64(clamping: clock_gettime_nsec_np(clock))
    }

    /// `kern.bootsessionuuid`, made anew at each boot. Not KERN_BOOTTIME: that moves whenever the wall clock is set, and
    /// one boot would look like two.
    public static var boot: BootID {
      var text = [UInt8](repeating: 0, count: 64)
      var size = text.count
      guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return unknownBoot }
      return bootID(text.prefix(size)) ?? unknownBoot
    }

    // MARK: Processes

    /// Nil when there is no such process, and in iOS's sandbox for every process but this one. The start time is in
    /// microseconds since 1970, as it was noted when the process began.
    public static func processStatus(of pid: Int32) -> ProcessStatus? {
      guard pid > 0 else { return nil }
      var question: [Int32] = [CTL_KERN, KERN_PROC, KERN_PROC_PID, pid]
      var facts = kinfo_proc()
      var size = MemoryLayout<kinfo_proc>.stride
      // Of nobody the answer is empty, and no failure.
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

    /// The states of <sys/proc.h>: 1 being made, 2 running, 3 sleeping, 4 stopped, 5 dead and not waited for.
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

    /// No list of all locks is to be had. Who holds one lock could be asked with F_GETLK, on a descriptor of the file;
    /// closing that would drop SQLite's own locks. Role locks need no more than `flock`, whose locks belong to the open
    /// file and die with it, as on Linux. (F_OFD_SETLK does the same for ranges; only newer SDKs declare it, and nothing
    /// here asks for it.)
    public static func locks() -> [KernelLock]? { nil }

    // MARK: Files

    /// Opens what has that name in a directory (AT_FDCWD: as any path), only to look at it and to go on from it; a link
    /// itself unless it is to be followed. Negative with `errno`. There is no O_PATH here, so it must be readable; a pipe
    /// is not waited for.
    public static func openPlace(_ name: String, in directory: Int32, followsLink: Bool) -> Int32 {
      openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLink ? 0 : O_SYMLINK))
    }

    /// In a sandbox the directories above an App Group's may be passed and not opened. They are the system's.
    public static let opensTheWay = false

    /// `fsync` leaves it in the disk's own memory here. Not every file system knows F_FULLFSYNC.
    public static func makeDurable(_ descriptor: Int32) {
      if fcntl(descriptor, F_FULLFSYNC) != 0 { fsync(descriptor) }
    }

    /// A local socket for datagrams: it waits for nothing, and no child inherits it. Negative with `errno`.
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

    /// Never nil. Not `getentropy`, which App Store review has taken for a private function.
    public static func randomNumber() -> UInt64? {
      var number: UInt64 = 0
      arc4random_buf(&number, MemoryLayout<UInt64>.size)
      return number
    }
  }
#endif
