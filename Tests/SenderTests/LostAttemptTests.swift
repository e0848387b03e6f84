import Ground
import Lightning
import TestKit

/// The connection to the LSP breaks with an attempt under way.
@Suite struct LostAttemptTests {
  private static let failed = AttemptAnswer.failed(FailureCode(rawValue: 0x1007))

  /// The first attempt is lost, and the LSP is asked for it.
  private func asking(_ policy: RetryPolicy = .interim) -> SenderRun {
    var run = SenderRun(policy)
    run.start()
    expect(run.send(.attemptLost(attempt: 1), after: .seconds(1)), is: [])
    #expect(run.machine.isInFlight && run.machine.deadline == run.now + .milliseconds(100))
    expect(run.wake(), is: [.find(attempt: 1)])
    return run
  }

  @Test func `A lost attempt is under way until the LSP says what became of it`() {
    var run = asking()
    #expect(run.machine.isInFlight)
    expect(run.send(.attemptFound(attempt: 1, .inFlight)), is: [])
    #expect(run.machine.isInFlight)
    expect(run.answer(.settled), is: [.report(.settled)])
    for (answer, end) in [(AttemptAnswer.settled, SenderReport.settled), (.alreadyPaid, .alreadyPaid)] {
      var run = asking()
      expect(run.send(.attemptFound(attempt: 1, .ended(answer))), is: [.report(end)])
    }
  }

  @Test(arguments: [AttemptFate.neverArrived, .ended(failed)])
  func `An attempt that never arrived, or has failed, is followed by another one after the gap`(
    fate: AttemptFate
  ) {
    var run = asking()
    let retry = run.send(.attemptFound(attempt: 1, fate)).retry
    #expect(retry?.attempt == 2 && retry.map { $0.gap >= .seconds(1) } == true)
    expect(run.wake(), is: [.attempt(2)])
  }

  @Test func `While the LSP cannot be asked it is asked again, and no other attempt begins`() {
    var run = asking(.hint)
    for _ in 0..<50 {
      expect(run.send(.attemptLost(attempt: 1)), is: [])
      expect(run.wake(), is: [.find(attempt: 1)])
    }
    #expect(run.machine.isInFlight)
    #expect(run.send(.attemptFound(attempt: 1, .neverArrived)).contains(.askHint(attempt: 1)))
  }

  @Test(.shows("K-12")) func `A lost attempt is pending at the deadline, not failed, and its fate stands`() {
    for (fate, settles) in [(AttemptFate.ended(.settled), true), (.neverArrived, false)] {
      var run = asking()
      let end = run.now - .milliseconds(1100) + .seconds(12)
      expect(run.machine.deadline, is: end)
      expect(run.wake(), is: [.report(.pending)])
      #expect(run.machine.isInFlight)
      let directives = run.send(.attemptFound(attempt: 1, fate), after: .seconds(1))
      #expect(settles ? directives == [.report(.settled)] : directives.failure?.end == .deadline)
      #expect(!run.machine.isInFlight)
    }
  }

  @Test func `After the deadline the LSP is still asked for a lost attempt`() {
    var run = SenderRun(.interim)
    run.start()
    expect(run.wake(), is: [.report(.pending)])
    expect(run.send(.attemptLost(attempt: 1)), is: [])
    expect(run.wake(), is: [.find(attempt: 1)])
    expect(run.send(.attemptFound(attempt: 1, .inFlight)), is: [])
    expect(run.answer(.settled), is: [.report(.settled)])
  }

  @Test func `A fate that nobody asked for, or of another attempt, changes nothing`() {
    var run = SenderRun(.interim)
    run.start()
    expect(run.send(.attemptFound(attempt: 1, .neverArrived)), is: [])
    #expect(run.send(.attemptLost(attempt: 2)) == [] && run.send(.attemptLost(attempt: 0)) == [])
    expect(run.machine.state, is: .attempting(.open))
    run = asking()
    expect(run.send(.attemptFound(attempt: 2, .neverArrived)), is: [])
    expect(run.machine.state, is: .attempting(.asking))
  }

  @Test func `A request that the LSP does not take ends the payment with the LSP's sentence`() {
    var run = SenderRun(.interim)
    run.start()
    expect(run.answer(.refused("no")), is: [.report(.refused("no"))])
    #expect(run.machine.state == .ended && run.start() == [])
  }

  @Test
  func `Each reason for which nothing is sent has its own sentence, and only a foreign program is final`() {
    let reasons: [SendFailure] = [
      .notRunning, .stopped, .busy, .foreign, .system("too many open files"), .neverArrived,
    ]
    expect(Set(reasons.map(\.description)).count, is: reasons.count)
    for why in reasons {
      var run = SenderRun(.interim)
      run.start()
      let directives = run.answer(.notSent(why))
      #expect((directives.failure?.notSent == .foreign) == (why == .foreign))
      #expect((directives.retry != nil) == (why != .foreign))
      let failed = SenderFailure(
        failure: why.failureClass, code: nil, notSent: why, attempts: 1, end: .noMoreAttempts)
      #expect((SenderMessage(failed).button != nil) == (why != .foreign))
    }
  }

  @Test(.shows("B-1.7.1.n2a")) func `A higher amount than the sender has is not sent`() {
    let settings = SenderSettings(.hint, seed: 1, spendableMsat: 5000)
    var machine = SenderMachine(settings)
    let now = Instant(nanoseconds: 0)
    let failed = SenderFailure(failure: .amountTooHigh, code: nil, attempts: 0, end: .final)
    expect(
      machine.handle(.started(invoiceExpiresAt: nil, amountMsat: 5001), at: now),
      is: [.report(.failed(failed))])
    #expect(SenderMessage(failed).button == nil)
    machine = SenderMachine(settings)
    expect(machine.handle(.started(invoiceExpiresAt: nil, amountMsat: 5000), at: now), is: [.attempt(1)])
  }

  @Test func `Without retries there is a deadline only with a patience, and then the attempt is pending`() {
    #expect(SenderSettings(.off, seed: 0).deadline == nil)
    expect(SenderSettings(.interim, seed: 0, patience: .seconds(99)).deadline, is: .seconds(12))
    var machine = SenderMachine(SenderSettings(.off, seed: 0, patience: .seconds(120)))
    let start = Instant(nanoseconds: 0)
    expect(machine.handle(.started(invoiceExpiresAt: nil), at: start), is: [.attempt(1)])
    expect(machine.deadline, is: start + .seconds(120))
    expect(machine.handle(.deadlineReached, at: start + .seconds(120)), is: [.report(.pending)])
  }
}
