import Ground
import DaemonRuntime
import Glibc

/// All that this process and those below it have started: whoever loses its parent becomes a child of this one, so that none is
/// missed, and no number can mean another process before it is waited for here.
struct OwnProcesses {
  /// One after the other, each as long as it takes or may take.
  private enum Stage: CaseIterable {
    /// All but the peer, which the others still speak to.
    case ask
    /// iosd, asked a second time, waits for its processes no longer.
    case insist
    case kill

    func concerns(_ pid: Int32) -> Bool { self != .ask || ProcessTable.name(of: pid) != "lspd" }
  }

  /// The kernel ends whoever it can: this is for those that wait for a disk that does not answer.
  private static let patienceOfKernel = TimeSpan.seconds(10)
  /// A process that loses its parent does not say so.
  private static let lookInterval = TimeSpan.milliseconds(20)

  let worker: Int32
  /// How it ended, as `waitpid` has it.
  private(set) var workerStatus: Int32?

  /// A shell that becomes this program hands its children over (`baton soak > >(tee log)`): they are not ours to end.
  private var inherited: Set<Int32>

  init(worker: Int32, inherited: Set<Int32>) {
    self.worker = worker
    self.inherited = inherited
  }

  private var own: [Int32] { ProcessTable.children(of: getpid()).filter { !inherited.contains($0) } }

  /// Takes notice of those that have ended; false when nobody is left.
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

  /// Ends all of them, in good order as long as there is time for it. Whoever interrupts once more is in a hurry. Gives those
  /// that live on.
  mutating func end(within patience: TimeSpan, watching signals: SignalWatch) -> [Int32] {
    var isInHurry = false
    for stage in Stage.allCases where !isInHurry || stage == .kill {
      let deadline = Clock.monotonicNow + (stage == .kill ? Self.patienceOfKernel : patience)
      var told: Set<Int32> = []
      while collect() {
        let concerned = own.filter(stage.concerns)
        if concerned.isEmpty && stage == .ask { break }
        for pid in concerned where told.insert(pid).inserted { Self.tell(pid, stage) }
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

  private static func tell(_ pid: Int32, _ stage: Stage) {
    kill(pid, stage == .kill ? SIGKILL : SIGTERM)
    // One that is stopped would not hear it.
    if stage != .kill { kill(pid, SIGCONT) }
  }
}
