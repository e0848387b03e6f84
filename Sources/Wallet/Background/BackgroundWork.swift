import Ground

/// What the app does when the phone starts it for a task. It decides nothing about the node, and never opens it.
///
/// The next refresh is asked for before the work begins, so that one failure does not end the chain. Each run is
/// completed once, on every path: when it is done, when its time is over, and when the phone says so.
public struct BackgroundWork: Core {
  public static let name = "background"
  public static var deadlineReached: BackgroundEvent { .deadlineReached }

  /// What the user wants of the app in the background; neither is needed.
  public struct Habits: Hashable, Codable, Sendable {
    /// A task that removes old journals.
    public var cleansUp: Bool
    /// Inaudible audio, so as to stay awake.
    public var keepsAwakeByAudio: Bool

    public init(cleansUp: Bool = false, keepsAwakeByAudio: Bool = false) {
      self.cleansUp = cleansUp
      self.keepsAwakeByAudio = keepsAwakeByAudio
    }
  }

  /// Nil: it asks the phone for nothing; the extension never does.
  public typealias Configuration = Habits?

  /// A task that the phone has given time for.
  public struct Run: Hashable, Codable, Sendable {
    public var task: BackgroundTask
    public var number: UInt64
    var endsBy: Instant
    /// Nil while a step is being done.
    var nextStep: Instant?
    var lastObstacle = "it took too long"
  }

  /// Five seconds less than the phone gives.
  public static let patience = TimeSpan.seconds(25)
  public static let retryPause = TimeSpan.milliseconds(250)

  private let habits: Habits?
  public private(set) var runs: [Run] = []

  public init(configuration: Habits?) { habits = configuration }

  /// Whether it asks the phone for anything.
  public var isWanted: Bool { habits != nil }

  public var deadline: Instant? { runs.compactMap(\.nextStep).min() }

  public mutating func handle(_ event: BackgroundEvent, at now: Instant) -> [BackgroundDirective] {
    guard let habits else { return [] }
    switch event {
    // What waits from before is replaced.
    case .enteredForeground:
      return [.submit(.refresh)] + (habits.cleansUp ? [.submit(.processing)] : [])
        + (habits.keepsAwakeByAudio ? [.stopAudio] : [])
    case .enteredBackground: return habits.keepsAwakeByAudio ? [.playAudio] : []
    case .runBegan(let task, let number): return begin(task, number, habits, at: now)
    // The work is cancelled before the phone is told, so that nothing of it can complete the run again.
    case .runExpires(let number):
      return complete(number, isSuccess: false, "the phone wants its time back")
    case .stepDone(let number, let result): return stepDone(number, result, at: now)
    case .deadlineReached: return stepsDue(at: now)
    }
  }

  private mutating func begin(
    _ task: BackgroundTask, _ number: UInt64, _ habits: Habits, at now: Instant
  ) -> [BackgroundDirective] {
    guard !runs.contains(where: { $0.number == number }) else { return [] }
    // Asked for by an app of before, which wanted it.
    if task == .processing, !habits.cleansUp {
      return [.complete(task, run: number, isSuccess: true, "nothing to do")]
    }
    runs.append(Run(task: task, number: number, endsBy: now + Self.patience, nextStep: nil))
    return [.submit(task), step(task, number)]
  }

  private func step(_ task: BackgroundTask, _ number: UInt64) -> BackgroundDirective {
    switch task {
    case .refresh: .lookAtWallet(run: number)
    case .processing: .cleanUp(run: number)
    }
  }

  private mutating func stepsDue(at now: Instant) -> [BackgroundDirective] {
    var directives: [BackgroundDirective] = []
    for index in runs.indices {
      guard let due = runs[index].nextStep, due <= now else { continue }
      runs[index].nextStep = nil
      directives.append(step(runs[index].task, runs[index].number))
    }
    return directives
  }

  private mutating func stepDone(
    _ number: UInt64, _ result: BackgroundStep, at now: Instant
  ) -> [BackgroundDirective] {
    guard let index = runs.firstIndex(where: { $0.number == number && $0.nextStep == nil }) else { return [] }
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
      return complete(number, isSuccess: false, "\(runs[index].lastObstacle), until its time was up")
    }
    // Later, so that the phone can be heard in between.
    runs[index].nextStep = min(now + pause, endsBy)
    return []
  }

  private mutating func complete(
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
    }
  }
}
