import PhoneClient
import CLinux
import Ground
import DaemonRuntime
import Glibc
import PhonePolicy

/// Does the work of a command in a process of its own, and leaves nothing of it behind, whatever becomes of that one and
/// whenever it is interrupted: all that it started is ended, and its directory is removed.
package struct Supervisor {
  /// Who interrupts does not want to wait: two of these, and what is left is killed.
  private static let patience = TimeSpan.milliseconds(600)
  /// What was left running by work that is done has its own time to end in.
  private static let patienceAfterWork = TimeSpan.seconds(10)

  private let plan: Supervision
  private let signals: SignalWatch
  private let place: ScratchPlace?
  private var processes: OwnProcesses

  /// `work` runs in the child alone; its result is the exit code.
  package static func run(_ plan: Supervision, _ work: (ScratchPlace?) -> Int32) -> Never {
    do throws(SystemError) {
      // From here on nothing that is sent to us is lost, and before it there is nothing to be left behind.
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
    // A reader of our output that goes away (`| head`) does not cut us short.
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
    // A ^C is for both of us, and so may be what another program sends.
    if let interruption = signal.flatMap({ Interruption(rawValue: $0) }) { return end(interruption) }
    let survivors =
      plan.leavesProcesses && signal == nil
      ? [] : processes.end(within: Self.patienceAfterWork, watching: signals)
    let code = signal.map { 128 + $0 } ?? baton_wait_exit_code(status)
    place?.remove(
      keepingPhones: !plan.isForeign || code != ExitCode.done.rawValue,
      keepingTemporary: plan.isForeign && code != ExitCode.done.rawValue)
    if let signal {
      say("its work was ended by \(SignalName.word(for: signal))\(words(of: survivors))\(whereItIs)")
    }
    return code
  }

  /// The work may have ended in the moment of the signal, and has said so: what it started is to stay.
  private mutating func isDoneWithWhatStays() -> Bool {
    guard plan.leavesProcesses else { return false }
    _ = processes.collect()
    guard let status = processes.workerStatus else { return false }
    return baton_wait_signalled(status) == 0 && baton_wait_exit_code(status) == 0
  }

  private mutating func end(_ interruption: Interruption) -> Int32 {
    tellWorker(interruption)
    let survivors = processes.end(within: Self.patience, watching: signals)
    place?.remove(keepingPhones: false)
    let end = plan.goesOn ?? (plan.isLooking ? "nothing of it is left" : "all that it had started is ended")
    say("interrupted by \(interruption.name); \(end)\(words(of: survivors))\(whereItIs)")
    return interruption.exitCode.rawValue
  }

  /// Our own work is not to start anything more, and holds nothing that would need a last word.
  private mutating func tellWorker(_ interruption: Interruption) {
    guard processes.workerStatus == nil else { return }
    kill(processes.worker, plan.isForeign ? interruption.rawValue : SIGKILL)
    let deadline = Clock.monotonicNow + Self.patience
    while processes.collect(), processes.workerStatus == nil, Clock.monotonicNow < deadline {
      if signals.wait(until: deadline) != nil { break }
    }
    if processes.workerStatus == nil { kill(processes.worker, SIGKILL) }
  }

  // MARK: In words

  private func words(of survivors: [Int32]) -> String {
    guard !survivors.isEmpty else { return "" }
    let pids = survivors.map(String.init).joined(separator: ", ")
    return " but process \(pids), which waits in the kernel; look at its disk"
  }

  private var whereItIs: String {
    if plan.isLooking { return "" }
    if let kept = plan.kept { return FilePath.exists(kept) ? ", and the phone is in \(kept)" : "" }
    guard let place else { return "" }
    return place.isThere ? ", and what it left is in \(place.path)" : ", and its directory is removed"
  }

  private func say(_ sentence: String) {
    writeAll(standardError, Array("\(programName): \(sentence)\n".utf8))
  }
}
