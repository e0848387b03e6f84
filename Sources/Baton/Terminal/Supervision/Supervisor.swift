import CLinux
import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// Runs a command in a worker, this program again, and afterwards or when interrupted ends all that it started and
/// removes its directory.
package struct Supervisor {
  /// After an interruption: at most twice this, then SIGKILL.
  private static let timeout = TimeSpan.milliseconds(600)
  /// After completed work: the time for remaining processes to end.
  private static let timeoutAfterWork = TimeSpan.seconds(10)

  private let plan: Supervision
  private let signals: SignalWatch
  private let place: ScratchPlace?
  private var processes: OwnProcesses

  /// In the worker's environment: its parent's pid, and the path of the scratch directory.
  private static let variable = "BATON_WORKER"

  /// Starts this program again, as a worker that does `work`; its result is the exit code.
  package static func run(
    _ plan: Supervision, named name: String, _ work: (ScratchPlace?) -> Int32
  ) -> Never {
    if let words = getenv(variable) { exit(work(begin(plan, String(cString: words)))) }
    do throws(SystemError) {
      // Before anything is created: from here on no signal is lost.
      let signals = try SignalWatch.ofWorker()
      let inherited = Set(ProcessTable.children(of: getpid()))
      let place = try makePlace(plan, name)
      setenv(variable, "\(getpid()) \(place?.path ?? "")", 1)
      var worker: Int32 = 0
      let code =
        baton_adopt_orphans() == 0
        ? posix_spawn(&worker, "/proc/self/exe", nil, nil, CommandLine.unsafeArgv, environ) : errno
      guard code == 0 else {
        place?.remove(keepingPhones: false)
        throw SystemError("start a process", code: code)
      }
      var supervisor = Supervisor(
        plan: plan, signals: signals, place: place,
        processes: OwnProcesses(worker: worker, inherited: inherited))
      exit(supervisor.supervise())
    } catch { exitWithSentence(.cannotCreate, error.description) }
  }

  private static func makePlace(_ plan: Supervision, _ name: String) throws(SystemError) -> ScratchPlace? {
    if plan.leavesProcesses { return nil }
    do throws(SystemError) { return try ScratchPlace(named: name) } catch {
      if plan.kept == nil && !plan.isLooking { throw error }
      return nil
    }
  }

  /// In the worker. Its own children do not inherit the variable.
  private static func begin(_ plan: Supervision, _ words: String) -> ScratchPlace? {
    unsetenv(variable)
    _ = baton_die_with_parent(SIGKILL)
    let words = words.split(separator: " ", maxSplits: 1).map(String.init)
    if words.first != "\(getppid())" {
      exitWithSentence(
        .terminated, "the command that started this one has ended; \(variable) is only for it, unset it")
    }
    SignalWatch.letGo()
    // A closed output (`| head`) must not end the work.
    if !plan.isForeign { signal(SIGPIPE, SIG_IGN) }
    let place = words.count > 1 ? ScratchPlace(path: words[1]) : nil
    place?.enter()
    return place
  }

  // MARK: In the parent

  private mutating func supervise() -> Int32 {
    var interruption: Interruption?
    while processes.collect(), processes.workerStatus == nil, interruption == nil {
      interruption = signals.wait(until: nil)
    }
    if let interruption, !isDoneWithWhatStays() { return end(interruption) }
    let how = ProcessEnd(status: processes.workerStatus ?? 0)
    let signal: Int32? = if case .signalled(let number) = how { number } else { nil }
    // ^C, or another program, may signal both processes.
    if let interruption = signal.flatMap({ Interruption(rawValue: $0) }) { return end(interruption) }
    let survivors =
      plan.leavesProcesses && signal == nil
      ? [] : processes.end(within: Self.timeoutAfterWork, watching: signals)
    let code = if case .exited(let code) = how { code } else { 128 + (signal ?? 0) }
    place?.remove(
      keepingPhones: !plan.isForeign || code != ExitCode.done.rawValue,
      keepingTemporary: plan.isForeign && code != ExitCode.done.rawValue)
    if let signal {
      say("the command was ended by \(SignalName.word(for: signal))\(words(of: survivors))\(whereItIs)")
    } else if plan.isForeign && place?.isThere == true {
      say("the command ended with \(code)\(words(of: survivors))\(whereItIs)")
    }
    return code
  }

  /// The work completed just before the signal: what it started stays.
  private mutating func isDoneWithWhatStays() -> Bool {
    guard plan.leavesProcesses else { return false }
    _ = processes.collect()
    return processes.workerStatus == 0
  }

  private mutating func end(_ interruption: Interruption) -> Int32 {
    tellWorker(interruption)
    let survivors = processes.end(within: Self.timeout, watching: signals)
    place?.remove(keepingPhones: false)
    let end =
      plan.goesOn
      ?? (plan.isLooking ? "nothing is left behind" : "all processes that the command started are ended")
    say("interrupted by \(interruption.name); \(end)\(words(of: survivors))\(whereItIs)")
    return interruption.exitCode.rawValue
  }

  /// Kills our own worker, so that it starts nothing more; a foreign program gets the signal first.
  private mutating func tellWorker(_ interruption: Interruption) {
    guard processes.workerStatus == nil else { return }
    kill(processes.worker, plan.isForeign ? interruption.rawValue : SIGKILL)
    let deadline = Clock.monotonicNow + Self.timeout
    while processes.collect(), processes.workerStatus == nil, Clock.monotonicNow < deadline {
      if signals.wait(until: deadline) != nil { break }
    }
    if processes.workerStatus == nil { kill(processes.worker, SIGKILL) }
  }

  // MARK: Sentences

  private func words(of survivors: [Int32]) -> String {
    guard !survivors.isEmpty else { return "" }
    let pids = survivors.map(String.init).joined(separator: ", ")
    return " except process \(pids), which waits in the kernel, most likely for a disk"
  }

  private var whereItIs: String {
    if plan.isLooking { return "" }
    if let kept = plan.kept { return FilePath.exists(kept) ? ", and \(plan.keeps) is kept in \(kept)" : "" }
    guard let place else { return "" }
    return place.isThere ? ", and its directory \(place.path) is kept" : ", and its directory is removed"
  }

  private func say(_ sentence: String) {
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
  }
}

/// Receives interrupting signals, and the end of children, through a signalfd.
package final class SignalWatch {
  private let descriptor: Int32
  private var repeats = RepeatedSignals()

  /// For interruptions and the end of children.
  static func ofWorker() throws(SystemError) -> SignalWatch {
    // With SIGCHLD ignored the kernel would reap children itself.
    signal(SIGCHLD, SIG_DFL)
    return try SignalWatch(Interruption.handled.map(\.rawValue) + [SIGCHLD])
  }

  /// For work that prints a result when interrupted. ^\ still ends it at once.
  package static func ofOwnWork() throws(SystemError) -> SignalWatch {
    try SignalWatch(Interruption.handled.filter { $0 != .quitByKey }.map(\.rawValue))
  }

  private init(_ signals: [Int32]) throws(SystemError) {
    descriptor = baton_signal_descriptor(-1, signals.reduce(UInt64(0)) { $0 | 1 << UInt64($1) })
    if descriptor < 0 { throw SystemError("watch signals") }
  }

  deinit { close(descriptor) }

  /// In the worker, whose parent watches the signals.
  static func letGo() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  /// Returns at the deadline, when a child has ended, or with an interruption.
  package func wait(until deadline: Instant?) -> Interruption? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let left = deadline.map { max(0, ($0 - Clock.monotonicNow).wholeMilliseconds + 1) }
    _ = poll(&waiting, 1, left.map { Int32(clamping: $0) } ?? -1)
    return arrived()
  }

  /// The interruption since the last call, if any.
  package func arrived() -> Interruption? {
    var information = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    var found: Interruption?
    while read(descriptor, &information, size) == size {
      let interruption = Interruption(rawValue: Int32(truncatingIfNeeded: information.ssi_signo))
      if let interruption, repeats.isNew(interruption, at: Clock.monotonicNow) {
        found = found ?? interruption
      }
    }
    return found
  }
}

/// Detects repeated signals of one request to end: GNU `timeout` signals its child and then its process group, and a ^C
/// comes from the terminal and from a wrapping command. Only a later signal is a second request.
struct RepeatedSignals {
  /// Far below the pause between two key presses, and above the delay between two signals of one request.
  static let sameRequest = TimeSpan.milliseconds(250)

  private var last: (interruption: Interruption, at: Instant)?

  /// False for the same signal within `sameRequest`.
  mutating func isNew(_ interruption: Interruption, at now: Instant) -> Bool {
    if let last, last.interruption == interruption, now - last.at < Self.sameRequest { return false }
    last = (interruption, now)
    return true
  }
}

/// The scratch directory of a command: its own phones, and in `tmp` copies of databases.
package struct ScratchPlace: Sendable {
  package let path: String

  var temporary: String { "\(path)/tmp" }

  init(path: String) { self.path = path }

  init(named name: String) throws(SystemError) {
    // Absolute, as daemons have another working directory.
    let base = Phone(home: FilePath.temporary).home
    var template = Array("\(base)/baton-\(name)-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      // In /proc and the like `mkdtemp` fails with ENOENT although `base` exists.
      let code = errno
      let isNoPlace = code == ENOENT && FilePath.isDirectory(base)
      throw SystemError(
        "create a directory in \(base)", code: code,
        because:
          "\(isNoPlace ? "no directory can be created there" : SystemError.words(of: code)); name another place with TMPDIR"
      )
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    guard mkdir(temporary, 0o700) == 0 else {
      let error = SystemError("create \(temporary)")
      rmdir(path)
      throw error
    }
  }

  /// Sets TMPDIR for this process and its children.
  package func enter() { setenv("TMPDIR", temporary, 1) }

  /// A new directory for one phone.
  func makeHome() throws(SystemError) -> String {
    var number = 1
    while true {
      let home = number == 1 ? "\(path)/phone" : "\(path)/phone-\(number)"
      if mkdir(home, 0o700) == 0 { return home }
      guard errno == EEXIST else { throw SystemError("create \(home)") }
      number += 1
    }
  }

  /// Removes the directory, except phones kept as evidence. A failed command may have some in its temporary directory,
  /// such as those of a `baton` that it ran.
  package func remove(keepingPhones: Bool, keepingTemporary: Bool = false) {
    if keepingTemporary { rmdir(temporary) } else { FilePath.remove(temporary) }
    if keepingPhones { rmdir(path) } else { FilePath.remove(path) }
  }

  package var isThere: Bool { FilePath.isDirectory(path) }
}

/// All processes that this process and its descendants have started: orphans become its children (subreaper), so none
/// is missed, and no pid is reused before it is reaped here.
struct OwnProcesses {
  /// The stages of ending them, in order.
  private enum Stage: CaseIterable {
    /// SIGTERM for all but lspd, which the wallet processes still need.
    case ask
    /// SIGTERM for all; iosd then no longer waits for its processes.
    case insist
    case kill

    func concerns(_ pid: Int32) -> Bool { self != .ask || ProcessTable.name(of: pid) != "lspd" }
  }

  /// After SIGKILL: for processes that wait in the kernel for a disk.
  private static let kernelTimeout = TimeSpan.seconds(10)
  /// New orphans are found by polling.
  private static let lookInterval = TimeSpan.milliseconds(20)

  let worker: Int32
  /// The worker's status from `waitpid`.
  private(set) var workerStatus: Int32?

  /// Children of a shell that became this program (`baton soak > >(tee log)`): they are not ended.
  var inherited: Set<Int32>

  private var own: [Int32] { ProcessTable.children(of: getpid()).filter { !inherited.contains($0) } }

  /// Reaps ended processes; false when none is left.
  mutating func collect() -> Bool {
    while true {
      var status: Int32 = 0
      let pid = waitpid(-1, &status, WNOHANG)
      if pid == worker { workerStatus = status }
      if pid < 0 && errno == EINTR { continue }
      guard pid > 0 else { return pid == 0 && (inherited.isEmpty || !own.isEmpty) }
      inherited.remove(pid)
    }
  }

  /// Ends all processes in stages; a further signal skips to SIGKILL. Returns the survivors.
  mutating func end(within timeout: TimeSpan, watching signals: SignalWatch) -> [Int32] {
    var isInHurry = false
    for stage in Stage.allCases where !isInHurry || stage == .kill {
      let deadline = Clock.monotonicNow + (stage == .kill ? Self.kernelTimeout : timeout)
      var signalled: Set<Int32> = []
      while collect() {
        let concerned = own.filter(stage.concerns)
        if concerned.isEmpty && stage == .ask { break }
        for pid in concerned where signalled.insert(pid).inserted { Self.sendSignal(to: pid, stage) }
        let now = Clock.monotonicNow
        if now >= deadline { break }
        if signals.wait(until: min(deadline, now + Self.lookInterval)) != nil && stage != .kill {
          isInHurry = true
          break
        }
      }
    }
    return collect() ? own : []
  }

  private static func sendSignal(to pid: Int32, _ stage: Stage) {
    kill(pid, stage == .kill ? SIGKILL : SIGTERM)
    // A stopped process would not handle SIGTERM.
    if stage != .kill { kill(pid, SIGCONT) }
  }
}

/// How a command is supervised that could leave processes or directories behind when interrupted.
package struct Supervision {
  /// The home of a phone that is kept; nil if its phone is in the scratch directory.
  package var kept: String?
  /// What is in `kept`.
  package var keeps = "the phone"
  /// It only reads, and its scratch directory has only copies.
  package var isLooking = false
  /// Printed when interrupted: the wallet continues the request without the command.
  package var goesOn: String?
  /// A foreign program gets the signal first, and a moment to end by itself.
  package var isForeign = false
  /// The processes that it starts stay after success, so it has no scratch directory.
  package var leavesProcesses = false
}

/// A signal that ends a command early: from a key, another program, or a closed terminal.
package enum Interruption: Int32, CaseIterable, Sendable {
  case hungUp = 1
  case interrupted = 2
  case quitByKey = 3
  case terminated = 15

  package var exitCode: ExitCode { ExitCode(rawValue: 128 + rawValue) ?? .terminated }
  package var name: String { SignalName.word(for: rawValue) }

  /// An ignored SIGHUP stays ignored, as `nohup` asks for it. An ignored SIGINT does not: a shell sets that for
  /// background jobs, only so that ^C does not reach them.
  package static var handled: [Interruption] {
    allCases.filter { $0 != .hungUp || baton_is_ignored($0.rawValue) == 0 }
  }
}
