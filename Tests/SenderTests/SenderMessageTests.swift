import Ground
import Lightning
import TestKit

@Suite struct SenderMessageTests {
  private func message(_ failure: FailureClass, _ end: SenderFailure.End = .noMoreAttempts) -> SenderMessage {
    SenderMessage(SenderFailure(failure: failure, code: nil, attempts: 4, end: end))
  }

  @Test(.shows("B-1.7.7.1", "B-1.7.7.2")) func `Without a route the message has the words of the plan`() {
    let shown = message(.routeNotFound)
    expect(shown.headline, is: "Route Not Found")
    expect(shown.text, is: "Recipient may need to open their wallet to receive. Try again in a few seconds.")
    expect(shown.button, is: "Retry Now")
  }

  @Test(.shows("B-1.7.7.4")) func `The message has a warning sign in orange, by name`() {
    expect(message(.routeNotFound).symbol, is: "exclamationmark.triangle")
    expect(message(.routeNotFound).colour, is: "orange")
  }

  @Test(.shows("K-8")) func `Each class has a headline of its own, and only what may pass has a button`() {
    let shown = FailureClass.allCases.map { message($0) }
    expect(Set(shown.map(\.headline)).count, is: FailureClass.allCases.count)
    expect(Set(shown.map(\.text)).count, is: FailureClass.allCases.count)
    for failure in FailureClass.allCases { #expect((message(failure).button != nil) == failure.mayPass) }
  }

  @Test(.shows("G-2"))
  func `Where a hint ends the payment its reason gives the advice, under the error's headline`() {
    let reasons = ForwardingHint.Reason.allCases
    let shown = reasons.map { message(.temporaryChannelFailure, .hint(ForwardingHint(.doNotRetry, $0))) }
    expect(Set(shown.map(\.headline)), is: [message(.temporaryChannelFailure).headline])
    expect(Set(shown.map(\.text)).count, is: reasons.count)
    for text in shown.map(\.text) { #expect(text.contains("Ask") || text.contains("ask")) }
    // The peer advises against another attempt: no button offers one.
    #expect(shown.allSatisfy { $0.button == nil })
    #expect(
      message(.temporaryChannelFailure, .hint(ForwardingHint(.retryLater, .disconnected))).button != nil)
  }

  @Test func `Each cause of a retry is one clause`() {
    let hint = ForwardingHint(.retryNow, .disconnected, recommendedDelayMs: 1000)
    expect(SenderRetry.Cause.hint(hint).description, is: "the peer says retry_now")
    expect(SenderRetry.Cause.schedule.description, is: "the failure may pass")
    expect(
      SenderRetry.Cause.noHint(.refused(status: 500)).description,
      is: "the server of hints answered with status 500")
  }
}

/// Random events at random times, also late, repeated and about other attempts.
@Suite struct SenderPromiseTests {
  private static let runs = 0..<10_000 as Range<UInt64>

  @Test(.shows("K-12", "B-1.7.4.6")) func `Whatever happens, the sender keeps its promises`() throws {
    var ends: Set<String> = []
    for seed in Self.runs {
      var watch = Watch(seed: seed)
      watch.play()
      if let broken = watch.broken {
        Issue.record("seed \(seed): \(broken)")
        return
      }
      ends.formUnion(watch.ends)
    }
    expect(ends, is: ["settled", "failed", "pending", "alreadyPending", "alreadyPaid", "refused"])
  }

  @Test(.shows("B-1.7.4.7")) func `The same seed and the same events give the same directives`() {
    for seed in 0..<500 as Range<UInt64> {
      var first = Watch(seed: seed)
      var second = Watch(seed: seed)
      first.play()
      second.play()
      expect(first.directives, is: second.directives)
    }
  }
}

/// One random run, and what was promised about it.
private struct Watch {
  var run: SenderRun
  var broken: String?
  var ends: Set<String> = []
  var directives: [SenderDirective] = []
  private var chance: SeededGenerator
  private let settings: SenderSettings
  private var startedAt: Instant?
  /// The attempt that was ordered and not answered.
  private var inFlight: Int?
  /// The LSP is asked what became of it.
  private var isAsking = false
  private var attempts = 0
  private var mayPass = false
  private var delays = 0
  private var isOver = false

  init(seed: UInt64) {
    chance = SeededGenerator(seed: seed)
    let policy = RetryPolicy.allCases[chance.below(3)]
    let deadline = TimeSpan.milliseconds(Int64(10_000 + chance.below(5001)))
    settings = SenderSettings(policy, deadline: deadline, attempts: 1 + chance.below(4), seed: seed)
    run = SenderRun(
      policy, deadline: deadline, attempts: settings.attempts, seed: seed,
      from: Instant(nanoseconds: Int64(chance.below(1_000_000))))
  }

  mutating func play() {
    for _ in 0..<40 where broken == nil { step() }
  }

  private mutating func step() {
    switch chance.below(12) {
    case 10: take(.attemptLost(attempt: chance.oneIn(3) ? chance.below(6) : run.machine.attempt))
    case 11: take(.attemptFound(attempt: run.machine.attempt, fate()))
    case 0: take(.started(invoiceExpiresAt: chance.oneIn(10) ? run.now + wait() : nil))
    case 1: take(.deadlineReached)
    case 2: take(.attemptAnswered(attempt: chance.below(6), answer()))
    case 3: take(.hintAnswered(attempt: chance.below(6), hint()))
    case 4: run.now = run.now + wait()
    case 5, 6:
      // On time, or late.
      if let deadline = run.machine.deadline { run.now = max(run.now, deadline) }
      if chance.oneIn(4) { run.now = run.now + wait() }
      take(.deadlineReached)
    default:
      if chance.oneIn(3) { run.now = run.now + wait() }
      let number = run.machine.attempt
      if run.machine.isInFlight {
        take(.attemptAnswered(attempt: number, answer()))
      } else if chance.chance(70) {
        take(.hintAnswered(attempt: number, hint()))
      } else {
        take(.hintFailed(attempt: number, .refused(status: 503)))
      }
    }
  }

  private mutating func wait() -> TimeSpan {
    .milliseconds(Int64(chance.below(chance.oneIn(3) ? 9000 : 900)))
  }

  private mutating func fate() -> AttemptFate {
    switch chance.below(3) {
    case 0: .inFlight
    case 1: .neverArrived
    default: .ended(answer())
    }
  }

  private mutating func answer() -> AttemptAnswer {
    switch chance.below(13) {
    case 0: .settled
    case 1: .alreadyPending
    case 2: .alreadyPaid
    case 3: .notSent(.notRunning)
    case 12: .refused("no")
    case 4: .failed(FailureCode(rawValue: 0x400F))
    case 5: .failed(FailureCode(rawValue: UInt16(chance.below(0x1_0000))))
    default: .failed(FailureCode(rawValue: 0x1007))
    }
  }

  private mutating func hint() -> ForwardingHint {
    let delays: [UInt64?] = [nil, 0, 200, 1000, 4000, 1_000_000_000_000, .max]
    let hints: [ForwardingHint.Advice] = [.retryNow, .retryNow, .retryLater, .doNotRetry]
    return ForwardingHint(
      chance.pick(hints), chance.pick(ForwardingHint.Reason.allCases), recommendedDelayMs: chance.pick(delays)
    )
  }

  private mutating func take(_ event: SenderEvent) {
    let before = run.machine
    if case .started = event, before.state == .idle || before.state == .ended { startedAt = run.now }
    if case .attemptAnswered(let number, let answer) = event, number == inFlight { ended(by: answer) }
    if case .attemptFound(let number, let fate) = event, number == inFlight, isAsking {
      switch fate {
      case .neverArrived: ended(by: .notSent(.neverArrived))
      case .inFlight: break
      case .ended(let answer): ended(by: answer)
      }
      isAsking = false
    }
    if case .attemptLost(let number) = event, number == inFlight { isAsking = false }
    let given = run.send(event)
    directives += given
    for directive in given where broken == nil { check(directive) }
    if let deadline = run.machine.deadline, let span = settings.deadline, let startedAt, broken == nil {
      // After its deadline the sender only asks what became of its attempt.
      let isLate = if case .late = run.machine.state { true } else { false }
      if !isLate, deadline > startedAt + span { broken = "it would wake after its deadline" }
    }
    if run.machine.isInFlight != (inFlight != nil) { broken = "it forgets an attempt under way" }
  }

  private mutating func ended(by answer: AttemptAnswer) {
    inFlight = nil
    isAsking = false
    switch answer {
    case .failed(let code): mayPass = code.failureClass.mayPass
    case .notSent(let why): mayPass = why.mayPass
    case .settled, .alreadyPending, .alreadyPaid, .refused: mayPass = false
    }
  }

  private mutating func check(_ directive: SenderDirective) {
    let endsAt = settings.deadline.flatMap { span in startedAt.map { $0 + span } }
    switch directive {
    case .find(let number):
      if number != inFlight { broken = "it asks for an attempt that is not under way" }
      if isAsking { broken = "it asks twice at once" }
      isAsking = true
    case .attempt(let number):
      if inFlight != nil { broken = "two attempts are under way" }
      if let endsAt, run.now >= endsAt { broken = "an attempt begins after the deadline" }
      if number > settings.attempts { broken = "there are too many attempts" }
      if number != 1, number != attempts + 1 { broken = "an attempt is left out" }
      if number > 1, !mayPass { broken = "an attempt follows a final failure" }
      if number == 1 { delays = 0 }
      attempts = number
      inFlight = number
      isOver = false
    case .askHint(let number):
      if settings.policy != .hint { broken = "it asks for a hint, and should not" }
      if number >= settings.attempts { broken = "it asks for a hint after the last attempt" }
      if !mayPass || inFlight != nil { broken = "it asks for a hint without a failure that may pass" }
    case .report(let report): check(report, endsAt)
    }
  }

  private mutating func check(_ report: SenderReport, _ endsAt: Instant?) {
    if isOver, case .failed = report {} else if isOver { broken = "there is a report after the last one" }
    switch report {
    case .retrying(let retry):
      if inFlight != nil { broken = "a retry is announced while an attempt is under way" }
      if retry.after < .zero { broken = "a retry is in the past" }
      if let endsAt, run.now + retry.after >= endsAt { broken = "a retry is announced after the deadline" }
      if case .hint(let hint) = retry.cause, hint.hint == .retryLater { delays += 1 }
      if delays > 1 { broken = "retry_later is heeded twice" }
    case .skipped: if inFlight != nil { broken = "an attempt is skipped while another is under way" }
    case .settled: ends.insert("settled")
    case .alreadyPending: ends.insert("alreadyPending")
    case .alreadyPaid: ends.insert("alreadyPaid")
    case .refused: ends.insert("refused")
    case .pending:
      ends.insert("pending")
      if inFlight == nil { broken = "nothing is under way, and it says pending" }
    case .failed:
      ends.insert("failed")
      if inFlight != nil { broken = "it says failed while an attempt is under way" }
    }
    if report.isFinal, inFlight == nil { isOver = true }
  }
}
