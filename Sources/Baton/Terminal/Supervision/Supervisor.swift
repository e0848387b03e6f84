import CLinux
import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// Runs a command in a child process, and afterwards or when interrupted ends all that it started and removes its
/// directory.
package struct Supervisor {
  /// After an interruption: at most twice this, then SIGKILL.
  private static let timeout = TimeSpan.milliseconds(600)
  /// After completed work: the time for remaining processes to end.
  private static let timeoutAfterWork = TimeSpan.seconds(10)

  private let plan: Supervision
  private let signals: SignalWatch
  private let place: ScratchPlace?
  private var processes: OwnProcesses

  /// `work` runs in the child alone; its result is the exit code.
  package static func run(_ plan: Supervision, _ work: (ScratchPlace?) -> Int32) -> Never {
    do throws(SystemError) {
      // Before anything is created: from here on no signal is lost.
      let signals = try SignalWatch.ofWorker()
      let inherited = Set(ProcessTable.children(of: getpid()))
      let place = try makePlace(plan)
      let parent = getpid()
      let worker = baton_adopt_orphans() == 0 ? baton_fork() : -1
      if worker == 0 { exit(work(begin(plan, signals, place, parent: parent))) }
      if worker < 0 {
        let error = SystemError("start a process")
        place?.remove(keepingPhones: false)
        throw error
      }
      var supervisor = Supervisor(plan, signals, place, OwnProcesses(worker: worker, inherited: inherited))
      exit(supervisor.supervise())
    } catch { exitWithSentence(.cannotCreate, error.description) }
  }

  private init(_ plan: Supervision, _ signals: SignalWatch, _ place: ScratchPlace?, _ processes: OwnProcesses)
  {
    self.plan = plan
    self.signals = signals
    self.place = place
    self.processes = processes
  }

  private static func makePlace(_ plan: Supervision) throws(SystemError) -> ScratchPlace? {
    if plan.leavesProcesses { return nil }
    do throws(SystemError) {
      return try ScratchPlace(named: plan.name)
    } catch {
      if plan.needsPlace { throw error }
      return nil
    }
  }

  /// In the child.
  private static func begin(
    _ plan: Supervision, _ signals: SignalWatch, _ place: ScratchPlace?, parent: Int32
  ) -> ScratchPlace? {
    _ = baton_die_with_parent(SIGKILL)
    if getppid() != parent { exit(ExitCode.terminated.rawValue) }
    signals.letGo()
    // A closed output (`| head`) must not end the work.
    if !plan.isForeign { signal(SIGPIPE, SIG_IGN) }
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
    let status = processes.workerStatus ?? 0
    let signal = baton_wait_signalled(status) != 0 ? baton_wait_signal(status) : nil
    // ^C, or another program, may signal both processes.
    if let interruption = signal.flatMap({ Interruption(rawValue: $0) }) { return end(interruption) }
    let survivors =
      plan.leavesProcesses && signal == nil
      ? [] : processes.end(within: Self.timeoutAfterWork, watching: signals)
    let code = signal.map { 128 + $0 } ?? baton_wait_exit_code(status)
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
    guard let status = processes.workerStatus else { return false }
    return baton_wait_signalled(status) == 0 && baton_wait_exit_code(status) == 0
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
