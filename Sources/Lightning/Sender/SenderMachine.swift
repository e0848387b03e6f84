// Lightning/Sender: one payment from the sender's side: attempts, the gaps between them, the deadline, and what the user is told.
// Pure: no clock and no I/O; the random part of the gaps comes from a seed.

import Ground

/// Tries to pay one invoice. At most one attempt is under way; no attempt begins at or after the deadline; and the user
/// is told of a failure only when no attempt is under way.
public struct SenderMachine: Machine {
  public static var deadlineReached: SenderEvent { .deadlineReached }

  public enum State: Hashable, Sendable {
    /// Nothing was sent. → attempting, ended
    case idle
    /// → asking, waiting, late, ended
    case attempting(Link)
    /// An attempt has failed, and a hint is asked for. → waiting, ended
    case asking(since: Instant)
    /// Between two attempts. → attempting, ended
    case waiting(until: Instant)
    /// The deadline is over with an attempt under way. → ended
    case late(Link)
    /// → attempting (the user asks again after a failure)
    case ended
  }

  /// The way to the LSP with an attempt under way.
  public enum Link: Hashable, Sendable {
    /// The LSP will answer the attempt. → broken
    case open
    /// The LSP is asked what became of the attempt. → open, broken
    case asking
    /// The attempt may have reached the LSP, or not. → asking
    case broken(asksAt: Instant)
  }

  /// A hint must come before the shortest gap is over.
  public static let hintPatience = TimeSpan.seconds(1)
  /// An attempt that a hint has moved forward begins this long before the deadline at the latest.
  public static let shortestAttempt = TimeSpan.seconds(1)
  /// From the end of an attempt to the next one, without the random part.
  private static let gaps: [TimeSpan] = [.seconds(1), .seconds(3), .seconds(7)]
  /// From a broken link, or a question that could not be asked, to the next question.
  private static let pauseBeforeAsking = TimeSpan.milliseconds(100)
  private static let delayNow: UInt64 = 1000
  private static let delayLater: UInt64 = 5000
  private static let jitterMostMicroseconds = 500_000

  public let settings: SenderSettings
  public private(set) var state = State.idle
  /// The number of the newest attempt; 0 before the first.
  public private(set) var attempt = 0
  private var generator: SeededGenerator
  /// Nil: no deadline.
  private var endsAt: Instant?
  private var invoiceExpiresAt: Instant?
  private var amountMsat: UInt64 = 0
  private var attemptEndedAt = Instant(nanoseconds: 0)
  private var lastFailure = SenderFailure(failure: .routeNotFound)
  /// There was a retry_later: a second one ends the payment.
  private var hasBeenDelayed = false
  private var canStartAgain = true

  public init(_ settings: SenderSettings) {
    self.settings = settings
    generator = SeededGenerator(seed: settings.seed)
  }

  public var deadline: Instant? {
    switch state {
    case .idle, .ended: nil
    case .attempting(let link): [endsAt, link.asksAt].compactMap { $0 }.min()
    case .late(let link): link.asksAt
    case .asking(let since): since + Self.hintPatience
    case .waiting(let until): until
    }
  }

  /// An attempt is under way.
  public var isInFlight: Bool { link != nil }

  private var link: Link? {
    switch state {
    case .attempting(let link), .late(let link): link
    case .idle, .asking, .waiting, .ended: nil
    }
  }

  public mutating func handle(_ event: SenderEvent, at now: Instant) -> [SenderDirective] {
    switch event {
    case .started(let invoiceExpiresAt, let amountMsat): start(invoiceExpiresAt, amountMsat, at: now)
    case .deadlineReached: wake(at: now)
    case .attemptAnswered(let number, let answer):
      number == attempt && isInFlight ? answered(answer, at: now) : []
    case .attemptLost(let number):
      number == attempt && isInFlight ? relink(.broken(asksAt: now + Self.pauseBeforeAsking)) : []
    case .attemptFound(let number, let fate):
      number == attempt && link == .asking ? found(fate, at: now) : []
    case .hintAnswered(let number, let hint): number == attempt && isAsking ? heed(hint, at: now) : []
    case .hintFailed(let number, let failure):
      number == attempt && isAsking ? retryBySchedule(.noHint(failure), at: now) : []
    }
  }

  private var isAsking: Bool { if case .asking = state { true } else { false } }

  // MARK: Attempts

  /// Also "Retry Now": a failed payment begins anew, with a new deadline.
  private mutating func start(
    _ invoiceExpiresAt: Instant?, _ amountMsat: UInt64, at now: Instant
  ) -> [SenderDirective] {
    guard state == .idle || state == .ended, canStartAgain else { return [] }
    self.invoiceExpiresAt = invoiceExpiresAt
    self.amountMsat = amountMsat
    endsAt = settings.deadline.map { now + $0 }
    attempt = 0
    hasBeenDelayed = false
    canStartAgain = false
    return tryOnce(at: now)
  }

  private mutating func tryOnce(at now: Instant) -> [SenderDirective] {
    if let invoiceExpiresAt, now >= invoiceExpiresAt {
      lastFailure = SenderFailure(failure: .invoiceExpired)
      return fail(.final)
    }
    if let spendable = settings.spendableMsat, amountMsat > spendable {
      lastFailure = SenderFailure(failure: .amountTooHigh)
      return fail(.final)
    }
    attempt += 1
    state = .attempting(.open)
    return [.attempt(attempt)]
  }

  private mutating func wake(at now: Instant) -> [SenderDirective] {
    guard let deadline, now >= deadline else { return [] }
    switch state {
    case .attempting(let link):
      guard isOver(at: now) else { return ask() }
      state = .late(link)
      return [.report(.pending)]
    case .late: return ask()
    case .asking: return retryBySchedule(.noHint(.silent), at: now)
    case .waiting:
      // Woken much too late, as after a suspension.
      if isOver(at: now) { return skip(.deadline) }
      return tryOnce(at: now)
    case .idle, .ended: return []
    }
  }

  private mutating func ask() -> [SenderDirective] {
    _ = relink(.asking)
    return [.find(attempt: attempt)]
  }

  private mutating func relink(_ link: Link) -> [SenderDirective] {
    if case .late = state { state = .late(link) } else { state = .attempting(link) }
    return []
  }

  private mutating func found(_ fate: AttemptFate, at now: Instant) -> [SenderDirective] {
    switch fate {
    case .inFlight: relink(.open)
    case .ended(let answer): answered(answer, at: now)
    // Nothing of this attempt can be paid, so another one may begin.
    case .neverArrived: answered(.notSent(.neverArrived), at: now)
    }
  }

  private func isOver(at now: Instant) -> Bool { endsAt.map { now >= $0 } ?? false }

  private mutating func answered(_ answer: AttemptAnswer, at now: Instant) -> [SenderDirective] {
    switch answer {
    case .settled: return end(.settled)
    case .alreadyPending: return end(.alreadyPending)
    case .alreadyPaid: return end(.alreadyPaid)
    case .refused(let sentence): return end(.refused(sentence))
    case .failed, .notSent: lastFailure = SenderFailure(answer)
    }
    attemptEndedAt = now
    if !lastFailure.mayPass { return fail(.final) }
    if attempt >= settings.attempts { return fail(.noMoreAttempts) }
    // Also an attempt that was reported as pending.
    if isOver(at: now) { return fail(.deadline) }
    guard settings.policy == .hint else { return retryBySchedule(.schedule, at: now) }
    // Neither a hint nor the schedule could bring another attempt.
    if let endsAt, endsAt - Self.shortestAttempt < now { return skip(.deadline) }
    state = .asking(since: now)
    return [.askHint(attempt: attempt)]
  }

  // MARK: Gaps

  private mutating func heed(_ hint: ForwardingHint, at now: Instant) -> [SenderDirective] {
    let standard: UInt64
    switch hint.hint {
    case .doNotRetry: return fail(.hint(hint))
    case .retryNow: standard = Self.delayNow
    case .retryLater:
      if hasBeenDelayed { return fail(.hint(hint)) }
      hasBeenDelayed = true
      standard = Self.delayLater
    }
    let delay = Self.span(ofMilliseconds: hint.recommendedDelayMs ?? standard)
    var start = attemptEndedAt + delay + jitter()
    if let endsAt {
      let latest = endsAt - Self.shortestAttempt
      // The hint may have taken longer than it recommends to wait.
      guard latest >= now else { return skip(.hint(hint)) }
      start = min(start, latest)
    }
    return wait(until: max(start, now), .hint(hint), at: now)
  }

  private mutating func retryBySchedule(_ cause: SenderRetry.Cause, at now: Instant) -> [SenderDirective] {
    let gap = Self.gaps[min(attempt, Self.gaps.count) - 1]
    // The news that there is no hint may come late.
    let start = max(attemptEndedAt + gap + jitter(), now)
    if let endsAt, start >= endsAt { return skip(.deadline) }
    return wait(until: start, cause, at: now)
  }

  private mutating func wait(
    until start: Instant, _ cause: SenderRetry.Cause, at now: Instant
  ) -> [SenderDirective] {
    state = .waiting(until: start)
    return [
      .report(
        .retrying(
          SenderRetry(
            attempt: attempt + 1, of: settings.attempts, after: start - now, gap: start - attemptEndedAt,
            cause: cause)))
    ]
  }

  /// From 0 to 0.5 s, in whole microseconds. One number of the generator for each gap, so that the same seed gives the
  /// same gaps whatever the answers.
  private mutating func jitter() -> TimeSpan {
    TimeSpan(nanoseconds: Int64(generator.below(Self.jitterMostMicroseconds + 1)) * 1000)
  }

  /// Clamped to what a span can hold.
  private static func span(ofMilliseconds count: UInt64) -> TimeSpan {
    .milliseconds(Int64(min(count, UInt64(Int64.max / 1_000_000))))
  }

  // MARK: The end

  private mutating func skip(_ end: SenderFailure.End) -> [SenderDirective] {
    [.report(.skipped(attempt: attempt + 1))] + fail(end)
  }

  private mutating func fail(_ end: SenderFailure.End) -> [SenderDirective] {
    (lastFailure.attempts, lastFailure.end) = (attempt, end)
    let directives = self.end(.failed(lastFailure))
    canStartAgain = true
    return directives
  }

  private mutating func end(_ report: SenderReport) -> [SenderDirective] {
    state = .ended
    return [.report(report)]
  }
}

extension SenderMachine.Link {
  fileprivate var asksAt: Instant? {
    if case .broken(let asksAt) = self { asksAt } else { nil }
  }
}
