import Lightning
import Ground

/// A sender in virtual time.
struct SenderRun {
  var machine: SenderMachine
  var now: Instant

  init(
    _ policy: RetryPolicy, deadline: TimeSpan = .seconds(12), attempts: Int = 4, seed: UInt64 = 1,
    from start: Instant = Instant(nanoseconds: 5_000_000_000)
  ) {
    machine = SenderMachine(SenderSettings(policy, deadline: deadline, attempts: attempts, seed: seed))
    now = start
  }

  @discardableResult
  mutating func send(_ event: SenderEvent, after span: TimeSpan = .zero) -> [SenderDirective] {
    now = now + span
    return machine.handle(event, at: now)
  }

  @discardableResult mutating func start() -> [SenderDirective] { send(.started(invoiceExpiresAt: nil)) }

  /// The current attempt ends after that time.
  @discardableResult
  mutating func answer(_ answer: AttemptAnswer, after span: TimeSpan = .zero) -> [SenderDirective] {
    send(.attemptAnswered(attempt: machine.attempt, answer), after: span)
  }

  @discardableResult
  mutating func fail(_ code: UInt16 = 0x1007, after span: TimeSpan = .zero) -> [SenderDirective] {
    answer(.failed(FailureCode(rawValue: code)), after: span)
  }

  @discardableResult mutating func hint(
    _ hint: ForwardingHint.Advice, _ reason: ForwardingHint.Reason = .disconnected, _ delayMs: UInt64? = nil,
    after span: TimeSpan = .zero
  ) -> [SenderDirective] {
    send(
      .hintAnswered(
        attempt: machine.attempt, ForwardingHint(hint, reason, recommendedDelayMs: delayMs)), after: span)
  }

  @discardableResult
  mutating func failHint(_ failure: HintFailure, after span: TimeSpan = .zero) -> [SenderDirective] {
    send(.hintFailed(attempt: machine.attempt, failure), after: span)
  }

  /// Time passes up to the machine's deadline.
  @discardableResult mutating func wake() -> [SenderDirective] {
    if let deadline = machine.deadline { now = max(now, deadline) }
    return machine.handle(.deadlineReached, at: now)
  }
}

extension [SenderDirective] {
  var retry: SenderRetry? {
    for case .report(.retrying(let retry)) in self { return retry }
    return nil
  }

  var failure: SenderFailure? {
    for case .report(.failed(let failure)) in self { return failure }
    return nil
  }

  var attempt: Int? {
    for case .attempt(let number) in self { return number }
    return nil
  }
}

extension SenderRun {
  /// The gaps of a run in which each attempt fails at once with this code; the failure that ends it.
  static func whole(
    _ policy: RetryPolicy = .interim, deadline: TimeSpan = .seconds(15), attempts: Int = 4, seed: UInt64,
    code: UInt16 = 0x1007
  ) -> (gaps: [TimeSpan], failure: SenderFailure?) {
    var run = SenderRun(policy, deadline: deadline, attempts: attempts, seed: seed)
    var gaps: [TimeSpan] = []
    run.start()
    while true {
      var directives = run.fail(code)
      if directives.contains(where: { if case .askHint = $0 { true } else { false } }) {
        directives = run.failHint(.silent)
      }
      guard let retry = directives.retry else { return (gaps, directives.failure) }
      gaps.append(retry.after)
      run.wake()
    }
  }
}
