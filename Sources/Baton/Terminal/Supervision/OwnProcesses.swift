import Ground
import DaemonRuntime
import Glibc

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
  private var inherited: Set<Int32>

  init(worker: Int32, inherited: Set<Int32>) {
    self.worker = worker
    self.inherited = inherited
  }

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
