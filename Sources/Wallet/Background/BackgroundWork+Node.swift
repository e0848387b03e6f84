import Ground
import Guardrails

// Runs that need the node. In the background the guard takes it for them as for a silent push, and bounds the wait: the
// run is completed when the guard has given it back, as the phone may suspend the app right after. In front the app has
// the node anyway, and the run waits for it alone.
extension BackgroundWork {
  static let nodeNotFree = "another process has the node, or the app was giving it back"
  static let nothingToAsk = "there is no Paykit directory to ask"

  mutating func awaitNode(at now: Instant) {
    runs[runs.count - 1].node = NodeWait(since: now)
    runs[runs.count - 1].nextStep = now + Self.nodeBound
    runs[runs.count - 1].lastObstacle =
      "the node was not ready within \(Self.nodeBound.wholeMilliseconds / 1000) s"
  }

  mutating func nodeReady(at now: Instant) -> [BackgroundDirective] {
    var directives: [BackgroundDirective] = []
    for run in runs {
      guard let wait = run.node, wait.result == nil, let index = index(run.number) else { continue }
      let waited = (now - wait.since).wholeMilliseconds
      runs[index].node?.result = "the node was ready after \(waited) ms; \(Self.nothingToAsk)"
      runs[index].nextStep = nil
      if !wait.isServed { directives += end(index) }
    }
    return directives
  }

  mutating func nodeServed(
    _ number: UInt64, _ outcome: SilentPushOutcome, isInFront: Bool
  ) -> [BackgroundDirective] {
    guard let index = index(number), let wait = runs[index].node, wait.isServed else { return [] }
    runs[index].node?.isServed = false
    if wait.result == nil, isInFront, runs[index].nextStep != nil { return [] }
    if outcome != .failed, wait.result == nil { runs[index].lastObstacle = Self.nodeNotFree }
    return end(index)
  }

  mutating func expires(_ number: UInt64) -> [BackgroundDirective] {
    let why = "the time that iOS gives the run is up"
    guard let index = index(number), runs[index].node?.isServed == true else {
      return complete(number, isSuccess: false, why)
    }
    runs[index].lastObstacle = why
    runs[index].nextStep = nil
    return [.giveUpNode(run: number)]
  }

  /// The guard ends the wait that it serves by itself.
  mutating func endLateWaits(at now: Instant) -> [BackgroundDirective] {
    runs.filter { run in
      guard let wait = run.node else { return false }
      return !wait.isServed && wait.result == nil && wait.since + Self.nodeBound <= now
    }.flatMap { complete($0.number, isSuccess: false, $0.lastObstacle) }
  }

  private mutating func end(_ index: Int) -> [BackgroundDirective] {
    let run = runs[index]
    return complete(
      run.number, isSuccess: run.node?.result != nil, run.node?.result ?? run.lastObstacle)
  }

  private func index(_ number: UInt64) -> Int? { runs.firstIndex { $0.number == number } }
}
