import CLinux
import Glibc
import Ground

/// A child started with a packet socket as descriptor 3, a small stack, no core dumps, and SIGKILL at its parent's
/// death.
public struct ChildProcess: Sendable {
  /// The variable with the child's descriptor of the channel to iosd.
  public static let channelVariable = "BATON_OS_FD"
  public static let channelDescriptor: Int32 = 3

  public var identity: ProcessIdentity
  /// Readable when the child has ended. Owned by the caller.
  public var pidfd: Int32
  /// Our end of the socket pair. Owned by the caller.
  public var channel: Int32

  public struct Options: Sendable {
    /// Its limits; negative for the parent's.
    public var stackBytes: Int64 = 256 * 1024
    public var coreBytes: Int64 = 0
    public var diesWithParent = true
    public var leadsSession = false
    /// Its standard input, output and error; -1 for the parent's.
    public var input: Int32 = -1
    public var output: Int32 = -1
    public var error: Int32 = -1
    /// `cgroup.procs` of a group that the child joins before its first instruction; owned by the caller.
    public var group: Int32 = -1
    /// Added to the parent's environment, replacing equal names.
    public var environment: [(name: String, value: String)] = [
      ("MALLOC_ARENA_MAX", "1"), ("SWIFT_BACKTRACE", "enable=no"),
    ]
    public init() {}
  }

  /// The core limit is 0, as a dump of a large process delays its death. The child leads its own process group, so
  /// that a ^C for the parent does not reach it.
  public static func start(
    _ path: String, arguments: [String], boot: BootID, options: Options = Options()
  ) throws(SystemError) -> ChildProcess {
    var ends: [Int32] = [-1, -1]
    if baton_seqpacket_pair(&ends) != 0 { throw SystemError("create a socket pair") }
    defer { close(ends[1]) }
    var options = options
    options.environment.append((name: channelVariable, value: "\(channelDescriptor)"))
    let pid = spawn(path, arguments: arguments, channel: ends[1], options)
    if pid < 0 {
      let error = Self.failure(toStart: path, code: errno)
      close(ends[0])
      throw error
    }
    let pidfd = baton_pidfd_open(pid)
    if pidfd < 0 {
      let error = SystemError("watch \(path)")
      kill(pid, SIGKILL)
      _ = ChildEnd.reap(pid)
      close(ends[0])
      throw error
    }
    // Only we reap the child: until then the pid is its own, even after its end.
    let startTime = ProcessTable.startTime(of: pid) ?? 0
    return ChildProcess(
      identity: ProcessIdentity(pid: pid, startTime: startTime, boot: boot), pidfd: pidfd, channel: ends[0])
  }

  /// On ENOENT the kernel does not name the missing file; it is often the interpreter of a script.
  public static func failure(toStart path: String, code: Int32) -> SystemError {
    SystemError(
      "start \(path)", code: code, because: code == ENOENT ? MissingInterpreter(of: path)?.sentence : nil)
  }

  /// The pid, or -1 with `errno`. The child inherits no other descriptor, and no ignored signal.
  public static func spawn(
    _ path: String, arguments: [String], channel: Int32 = -1, _ options: Options
  ) -> Int32 {
    withCStrings([path] + arguments) { argumentPointers in
      withCStrings(environment(adding: options.environment)) { environmentPointers in
        path.withCString { path in
          var plan = baton_spawn_plan(
            path: path, arguments: argumentPointers, environment: environmentPointers, channel: channel,
            input: options.input, output: options.output, error: options.error,
            stack_limit: options.stackBytes, core_limit: options.coreBytes, own_process_group: 1,
            own_session: options.leadsSession ? 1 : 0,
            parent_death_signal: options.diesWithParent ? SIGKILL : 0, group: options.group)
          return baton_spawn(&plan)
        }
      }
    }
  }

  private static func environment(adding all: [(name: String, value: String)]) -> [String] {
    var entries: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if !all.contains(where: { line.hasPrefix("\($0.name)=") }) { entries.append(line) }
      entry += 1
    }
    return entries + all.map { "\($0.name)=\($0.value)" }
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { body(UnsafePointer($0.baseAddress!)) }
  }

  /// The signal goes to exactly this child, never to a later process with the same pid.
  @discardableResult public func send(_ signal: Int32) -> Bool { baton_pidfd_send_signal(pidfd, signal) == 0 }
}

/// A script that cannot be started because its interpreter does not exist.
public struct MissingInterpreter {
  /// The interpreter named in the script's first line.
  public let interpreter: String

  /// The kernel's limit for the first line.
  private static let lineBytesMax = 256

  /// Nil if the file has no `#!` line or the interpreter exists.
  public init?(of program: String) {
    guard let bytes = SmallFile.read(program, limit: Self.lineBytesMax), bytes.starts(with: [35, 33]),
      let line = bytes.dropFirst(2).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        .first
    else { return nil }
    let words = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard let first = words.first else { return nil }
    interpreter = String(decoding: first, as: UTF8.self)
    guard access(interpreter, F_OK) != 0 else { return nil }
  }

  public var sentence: String {
    let ending = interpreter.hasSuffix("\r") ? " (it ends with a carriage return, as in Windows files)" : ""
    return
      "its first line names the interpreter \(interpreter), which does not exist\(ending); install it, or name another one in that line"
  }
}

/// How a child ended, and what it used.
public struct ChildEnd: Hashable, Sendable {
  public var how: ProcessEnd
  public var peakResidentBytes: UInt64
  public var userMicroseconds: UInt64
  public var systemMicroseconds: UInt64

  /// nil while the child still runs, or when it is not a child of this process.
  public static func reap(_ pid: Int32, waiting: Bool = true) -> ChildEnd? {
    var status: Int32 = 0
    var usage = rusage()
    var result: Int32
    repeat { result = wait4(pid, &status, waiting ? 0 : WNOHANG, &usage) } while result < 0 && errno == EINTR
    guard result == pid else { return nil }
    return ChildEnd(
      how: ProcessEnd(status: status), peakResidentBytes: UInt64(max(0, usage.ru_maxrss)) &* 1024,
      userMicroseconds: microseconds(usage.ru_utime), systemMicroseconds: microseconds(usage.ru_stime))
  }

  private static func microseconds(_ time: timeval) -> UInt64 {
    UInt64(max(0, time.tv_sec)) &* 1_000_000 &+ UInt64(max(0, time.tv_usec))
  }
}

/// The channel of a daemon that was started by iosd.
public enum ParentChannel {
  /// Whether a parent gave one.
  public static var isThere: Bool { descriptor != nil }

  private static var descriptor: Int32? {
    guard let text = getenv(ChildProcess.channelVariable), let descriptor = Int32(String(cString: text)),
      descriptor > 2, fcntl(descriptor, F_GETFD) >= 0
    else { return nil }
    return descriptor
  }

  /// The channel's descriptor; nil if the process was started by hand. It also sets the parent-death signal, for
  /// parents that have not.
  public static func take() -> Int32? {
    guard let descriptor, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
    // Children of this process must not inherit the variable.
    unsetenv(ChildProcess.channelVariable)
    _ = baton_die_with_parent(SIGKILL)
    return descriptor
  }
}
