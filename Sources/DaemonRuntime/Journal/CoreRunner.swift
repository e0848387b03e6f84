import Ground

/// Runs one machine: passes it events with their instant, journals them, carries out its directives, and calls it
/// at its deadline.
///
/// An event raised while directives are carried out is queued: the core must see it after all its directives, and a
/// chain of answers must not grow the stack. Once the loop is to stop, the core sees no event: what it did after the
/// process's last record would be done without a record.
public final class CoreRunner<M: Machine> {
  public private(set) var core: M
  /// Events handled since the start.
  public private(set) var eventCount: UInt64 = 0
  /// When the newest event was handled: the time by which the core has decided.
  public private(set) var instant: Instant

  private let loop: EventLoop
  private let clock: Clock
  private let think: (inout M, M.Event, Instant) -> [M.Directive]
  private let carryOut: ([M.Directive]) -> Void
  private var queue: [M.Event] = []
  private var isHandling = false
  private var timer: LoopTimer?
  private var lastReached: Instant?

  /// `think` lets the machine handle an event and journals it before it returns: after a crash the journal has the
  /// pending directives. `carryOut` gets all directives of one event, in order; never an empty list.
  public init(
    _ machine: M, loop: EventLoop, clock: Clock,
    think: @escaping (inout M, M.Event, Instant) -> [M.Directive],
    carryOutAll carryOut: @escaping ([M.Directive]) -> Void
  ) {
    core = machine
    instant = clock.now
    self.loop = loop
    self.clock = clock
    self.think = think
    self.carryOut = carryOut
    armTimer()
  }

  public func handle(_ event: M.Event) {
    queue.append(event)
    guard !isHandling else { return }
    isHandling = true
    while !queue.isEmpty, !loop.isStopping { step(queue.removeFirst()) }
    isHandling = false
    armTimer()
  }

  private func step(_ event: M.Event) {
    instant = clock.now
    let directives = think(&core, event, instant)
    eventCount += 1
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
    // A core that keeps an expired deadline has a bug; it must not also use up the CPU and fill the disk with its
    // journal.
    let isStuck = deadline == lastReached && deadline <= clock.now
    timer = loop.at(isStuck ? clock.now + Self.stuckPause : deadline) { [weak self] in
      self?.lastReached = deadline
      self?.handle(M.deadlineReached)
    }
  }

  private static var stuckPause: TimeSpan { .milliseconds(100) }
}

extension CoreRunner where M: Core {
  /// `name`: in the journal, for a program with several cores of one kind: the kind's name, a hyphen and a number.
  public convenience init(
    configuration: M.Configuration, name: String = M.name, loop: EventLoop, clock: Clock, journal: Journal?,
    carryOutAll carryOut: @escaping ([M.Directive]) -> Void
  ) {
    journal?.record(M.self, as: name, configuration: configuration)
    self.init(
      M(configuration: configuration), loop: loop, clock: clock,
      think: { core, event, now in
        let directives = core.handle(event, at: now)
        journal?.record(M.self, as: name, event: event, at: now, directives: directives)
        return directives
      }, carryOutAll: carryOut)
  }

  public convenience init(
    configuration: M.Configuration, loop: EventLoop, clock: Clock, journal: Journal?,
    carryOut: @escaping (M.Directive) -> Void
  ) {
    self.init(configuration: configuration, loop: loop, clock: clock, journal: journal) {
      (directives: [M.Directive]) in for directive in directives { carryOut(directive) }
    }
  }
}
