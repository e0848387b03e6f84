import Ground

/// Runs one core in the world: gives it events with their instant, writes them down, carries out what it says, and
/// comes back at its deadline.
///
/// An event raised while directives are carried out is queued, never handled in the middle: a core must see the
/// world after all it ordered, and a chain of answers must not grow the stack.
public final class CoreRunner<C: Core> {
  public private(set) var core: C
  /// Events handled since the start.
  public private(set) var eventCount: UInt64 = 0

  private let loop: EventLoop
  private let clock: Clock
  private let journal: Journal?
  private let carryOut: ([C.Directive]) -> Void
  private var queue: [C.Event] = []
  private var isHandling = false
  private var timer: LoopTimer?
  private var lastReached: Instant?

  /// `carryOut` gets all directives of one event, in their order; never an empty list.
  public init(
    configuration: C.Configuration, loop: EventLoop, clock: Clock, journal: Journal?,
    carryOutAll carryOut: @escaping ([C.Directive]) -> Void
  ) {
    core = C(configuration: configuration)
    self.loop = loop
    self.clock = clock
    self.journal = journal
    self.carryOut = carryOut
    journal?.record(C.self, configuration: configuration)
    armTimer()
  }

  public convenience init(
    configuration: C.Configuration, loop: EventLoop, clock: Clock, journal: Journal?,
    carryOut: @escaping (C.Directive) -> Void
  ) {
    self.init(configuration: configuration, loop: loop, clock: clock, journal: journal) {
      (directives: [C.Directive]) in
      for directive in directives { carryOut(directive) }
    }
  }

  public func handle(_ event: C.Event) {
    queue.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !queue.isEmpty { step(queue.removeFirst()) }
    isHandling = false
    armTimer()
  }

  private func step(_ event: C.Event) {
    let now = clock.now
    let directives = core.handle(event, at: now)
    eventCount += 1
    // Written before anything is done: after a crash the journal says what was about to happen.
    journal?.record(C.self, event: event, at: now, directives: directives)
    if !directives.isEmpty { carryOut(directives) }
  }

  private func armTimer() {
    let deadline = core.deadline
    if let timer, timer.isPending, timer.instant == deadline { return }
    timer?.cancel()
    guard let deadline else {
      timer = nil
      return
    }
    // A core that keeps a deadline it was told of has a fault of its own; it must not take the processor and fill the
    // disk with its journal as well.
    let isStuck = deadline == lastReached && deadline <= clock.now
    timer = loop.at(isStuck ? clock.now + Self.stuckPause : deadline) { [weak self] in
      self?.lastReached = deadline
      self?.handle(C.deadlineReached)
    }
  }

  private static var stuckPause: TimeSpan { .milliseconds(100) }
}
