import CLinux
import Ground
import Glibc

/// A child that was started with a packet socket as its descriptor 3, small, coreless, and bound to its parent's life.
public struct ChildProcess: Sendable {
  /// The variable that tells a child which descriptor leads to iosd.
  public static let channelVariable = "BATON_OS_FD"
  public static let channelDescriptor: Int32 = 3

  public var identity: ProcessIdentity
  /// Readable when the child has ended. Owned by the caller.
  public var pidfd: Int32
  /// Our end of the socket pair. Owned by the caller.
  public var channel: Int32

  public struct Options: Sendable {
    public var stackBytes: Int64 = 256 * 1024
    public var diesWithParent = true
    /// Its standard output and standard error; -1 for those of the parent.
    public var output: Int32 = -1
    public var error: Int32 = -1
    /// `cgroup.procs` of a group that it joins before its first instruction; owned by the caller.
    public var group: Int32 = -1
    /// Added to, or put in place of, what the parent has.
    public var environment: [(name: String, value: String)] = [
      ("MALLOC_ARENA_MAX", "1"), ("SWIFT_BACKTRACE", "enable=no"),
    ]
    public init() {}
  }

  /// The core limit is 0, as a dump of a large process delays its death; the process leads a group of its own, so
  /// that a ^C for the parent is not one for the child.
  public static func start(
    _ path: String, arguments: [String], boot: BootID, options: Options = Options()
  ) throws(SystemError) -> ChildProcess {
    var ends: [Int32] = [-1, -1]
    if baton_seqpacket_pair(&ends) != 0 { throw SystemError("create a socket pair") }
    defer { close(ends[1]) }
    let pid = spawn(path, [path] + arguments, environment(adding: options.environment), ends[1], options)
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
    // Nobody else reaps: until then the pid is this child's, ended or not.
    let startTime = ProcessTable.startTime(of: pid) ?? 0
    return ChildProcess(
      identity: ProcessIdentity(pid: pid, startTime: startTime, boot: boot), pidfd: pidfd, channel: ends[0])
  }

  /// The kernel names no file when it misses one, and mostly means another than ours.
  public static func failure(toStart path: String, code: Int32) -> SystemError {
    SystemError(
      "start \(path)", code: code, because: code == ENOENT ? MissingInterpreter(of: path)?.sentence : nil)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String], _ channel: Int32, _ options: Options
  ) -> Int32 {
    withCStrings(arguments) { argumentPointers in
      withCStrings(environment) { environmentPointers in
        path.withCString { path in
          var plan = baton_spawn_plan(
            path: path, arguments: argumentPointers, environment: environmentPointers, channel: channel,
            input: -1, output: options.output, error: options.error, stack_limit: options.stackBytes,
            core_limit: 0,
            own_process_group: 1, parent_death_signal: options.diesWithParent ? SIGKILL : 0,
            group: options.group)
          return baton_spawn(&plan)
        }
      }
    }
  }

  private static func environment(adding additions: [(name: String, value: String)]) -> [String] {
    let all = additions + [(name: channelVariable, value: "\(channelDescriptor)")]
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

  /// The signal goes to exactly this child, never to a later process of its number.
  @discardableResult
  public func send(_ signal: Int32) -> Bool { baton_pidfd_send_signal(pidfd, signal) == 0 }
}
