import Ground
import Guardrails

/// The app's work when the phone starts it for a background task. The wallet's check and the removal of journals never
/// open the node. Paykit's poll needs it: the guard takes it as for a silent push, so there is one life of the node,
/// and the run is completed only after the guard has given it back.
///
/// The next refresh is submitted before the work begins, so that one failure does not end the chain. Each run is
/// completed once, on every path: when it is done, after its time limit, and when the phone's time is up.
public struct BackgroundWork: Core {
  public static let name = "background"
  public static var deadlineReached: BackgroundEvent { .deadlineReached }

  /// The user's settings for the background; both are optional.
  public struct Habits: Hashable, Codable, Sendable {
    /// A task that removes old journals.
    public var cleansUp: Bool
    /// Inaudible audio that keeps the app awake.
    public var keepsAwakeByAudio: Bool
    /// Paykit's poll; nil is no.
    public var pollsPaykit: Bool?

    public init(cleansUp: Bool = false, keepsAwakeByAudio: Bool = false, pollsPaykit: Bool = false) {
      self.cleansUp = cleansUp
      self.keepsAwakeByAudio = keepsAwakeByAudio
      self.pollsPaykit = pollsPaykit ? true : nil
    }
  }

  /// nil: submits no task, as in the extension.
  public typealias Configuration = Habits?

  /// A task that the phone has started.
  public struct Run: Hashable, Codable, Sendable {
    public var task: BackgroundTask
    public var number: UInt64
    var endsBy: Instant
    /// nil while a step is pending.
    var nextStep: Instant?
    var lastObstacle = "it took too long"
    /// Of a run that needs the node.
    var node: NodeWait?
  }

  struct NodeWait: Hashable, Codable, Sendable {
    var since: Instant
    /// The guard has not given it back yet.
    var isServed = true
    /// What came of it once the node was ready.
    var result: String?
  }

  /// How long a run waits for a node that is ready.
  public static let nodeBound = TimeSpan.seconds(20)
  /// The guard keeps a reserve of what it is given.
  static let nodeTime = TimeSpan.seconds(25)

  /// Five seconds less than the phone's limit.
  public static let timeLimit = TimeSpan.seconds(25)
  public static let retryPause = TimeSpan.milliseconds(250)

  private let habits: Habits?
  public internal(set) var runs: [Run] = []

  public init(configuration: Habits?) { habits = configuration }

  /// Whether it submits any task.
  public var isWanted: Bool { habits != nil }

  /// A run waits for a node that is ready.
  var awaitsNode: Bool { runs.contains { $0.node != nil && $0.node?.result == nil } }

  public var deadline: Instant? { runs.compactMap(\.nextStep).min() }

  public mutating func handle(_ event: BackgroundEvent, at now: Instant) -> [BackgroundDirective] {
    guard let habits else { return [] }
    switch event {
    // A pending submission is replaced.
    case .enteredForeground:
      return [.submit(.refresh)] + (habits.cleansUp ? [.submit(.processing)] : [])
        + (habits.pollsPaykit == true ? [.submit(.paykitPoll)] : [])
        + (habits.keepsAwakeByAudio ? [.stopAudio] : [])
    case .enteredBackground: return habits.keepsAwakeByAudio ? [.playAudio] : []
    case .runBegan(let task, let number): return begin(task, number, habits, at: now)
    // The run is removed first, so that no pending step completes it again.
    case .runExpires(let number): return expires(number)
    case .stepDone(let number, let result): return stepDone(number, result, at: now)
    case .deadlineReached: return stepsDue(at: now)
    case .nodeReady: return nodeReady(at: now)
    case .nodeServed(let number, let outcome, let isInFront):
      return nodeServed(number, outcome, isInFront: isInFront)
    case .nodeHindered(let why):
      for index in runs.indices where runs[index].node != nil { runs[index].lastObstacle = why }
      return []
    }
  }

  private mutating func begin(
    _ task: BackgroundTask, _ number: UInt64, _ habits: Habits, at now: Instant
  ) -> [BackgroundDirective] {
    guard !runs.contains(where: { $0.number == number }) else { return [] }
    // Submitted by an earlier app process that was set to clean up.
    if task == .processing && !habits.cleansUp || task == .paykitPoll && habits.pollsPaykit != true {
      return [.complete(task, run: number, isSuccess: true, "nothing to do")]
    }
    runs.append(Run(task: task, number: number, endsBy: now + Self.timeLimit, nextStep: nil))
    if task == .paykitPoll { awaitNode(at: now) }
    return [.submit(task), step(task, number)]
  }

  private func step(_ task: BackgroundTask, _ number: UInt64) -> BackgroundDirective {
    switch task {
    case .refresh: .lookAtWallet(run: number)
    case .processing: .cleanUp(run: number)
    case .paykitPoll: .wantNode(run: number, time: Self.nodeTime)
    }
  }

  private mutating func stepsDue(at now: Instant) -> [BackgroundDirective] {
    var directives: [BackgroundDirective] = []
    for index in runs.indices {
      guard let due = runs[index].nextStep, due <= now else { continue }
      runs[index].nextStep = nil
      guard runs[index].node == nil else { continue }
      directives.append(step(runs[index].task, runs[index].number))
    }
    return directives + endLateWaits(at: now)
  }

  private mutating func stepDone(
    _ number: UInt64, _ result: BackgroundStep, at now: Instant
  ) -> [BackgroundDirective] {
    guard
      let index = runs.firstIndex(where: { $0.number == number && $0.nextStep == nil && $0.node == nil })
    else { return [] }
    var pause = TimeSpan.zero
    switch result {
    case .done(let what): return complete(number, isSuccess: true, what)
    case .failed(let why): return complete(number, isSuccess: false, why)
    case .goesOn: break
    case .busy(let why):
      runs[index].lastObstacle = why
      pause = Self.retryPause
    }
    let endsBy = runs[index].endsBy
    guard now < endsBy else {
      return complete(
        number, isSuccess: false,
        "\(runs[index].lastObstacle), and the 25 s that the app gives a run are over")
    }
    // Later, so that events of the phone are handled in between.
    runs[index].nextStep = min(now + pause, endsBy)
    return []
  }

  mutating func complete(
    _ number: UInt64, isSuccess: Bool, _ sentence: String
  ) -> [BackgroundDirective] {
    guard let index = runs.firstIndex(where: { $0.number == number }) else { return [] }
    let run = runs.remove(at: index)
    return [.complete(run.task, run: number, isSuccess: isSuccess, sentence)]
  }
}

extension BackgroundWork: Shiftable {
  package mutating func shift(by span: TimeSpan) {
    for index in runs.indices {
      runs[index].endsBy.shift(by: span)
      runs[index].nextStep.shift(by: span)
      runs[index].node?.since.shift(by: span)
    }
  }
}

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
    return complete(run.number, isSuccess: run.node?.result != nil, run.node?.result ?? run.lastObstacle)
  }

  private func index(_ number: UInt64) -> Int? { runs.firstIndex { $0.number == number } }
}
