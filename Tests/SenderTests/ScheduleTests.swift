import Ground
import Lightning
import TestKit

/// Attempts, the gaps between them, and the deadline, without hints.
@Suite struct ScheduleTests {
  private static let seeds = 0..<300 as Range<UInt64>

  private func isIn(_ span: TimeSpan, _ milliseconds: ClosedRange<Int64>) -> Bool {
    (TimeSpan.milliseconds(milliseconds.lowerBound)...(.milliseconds(milliseconds.upperBound))).contains(span)
  }

  @Test(.shows("B-1.7.4.1")) func `The first attempt begins at once`() {
    for policy in RetryPolicy.allCases {
      var run = SenderRun(policy)
      expect(run.start(), is: [.attempt(1)])
    }
  }

  @Test(.shows("B-1.7.4.2", "B-1.7.4.3", "B-1.7.4.4", "B-1.7.5.1", "K-2"))
  func `Four attempts with gaps of 1, 3 and 7 s and at most 0.5 s`() {
    for seed in Self.seeds {
      let run = SenderRun.whole(seed: seed)
      expect(run.gaps.count, is: 3)
      #expect(
        isIn(run.gaps[0], 1000...1500) && isIn(run.gaps[1], 3000...3500) && isIn(run.gaps[2], 7000...7500))
      expect(run.failure?.end, is: .noMoreAttempts)
      let three = SenderRun.whole(attempts: 3, seed: seed)
      expect(three.gaps, is: Array(run.gaps.prefix(2)))
    }
  }

  @Test(.shows("B-1.7.4.7")) func `The random parts fill 0 to 0.5 s, and are the same for the same seed`() {
    let extras = Self.seeds.flatMap { seed in
      let gaps = SenderRun.whole(seed: seed).gaps
      expect(gaps, is: SenderRun.whole(seed: seed).gaps)
      expect(gaps, is: SenderRun.whole(.hint, seed: seed).gaps, "a hint that fails changes the gaps")
      return zip(gaps, [1000, 3000, 7000] as [Int64]).map { $0.wholeMilliseconds - $1 }
    }
    for tenth in 0..<10 as Range<Int64> {
      let share = extras.count { $0 / 50 == tenth || (tenth == 9 && $0 == 500) }
      #expect(share > extras.count / 20 && share < extras.count / 6, "\(share) of \(extras.count)")
    }
    expect(Set(Self.seeds.map { SenderRun.whole(seed: $0).gaps }).count, is: Self.seeds.count)
  }

  /// The attempts' own time counts against the deadline, not against the gap.
  @Test(.shows("K-5")) func `A gap begins at the end of an attempt`() {
    var run = SenderRun(.interim, deadline: .seconds(15))
    run.start()
    let ended = run.now + .seconds(2)
    let retry = run.fail(after: .seconds(2)).retry
    expect(retry.map { isIn($0.after, 1000...1500) }, is: true)
    expect(run.wake(), is: [.attempt(2)])
    expect(retry.map { ended + $0.after }, is: run.now)
  }

  @Test(.shows("K-4", "B-1.7.5.2"))
  func `A gap that would cross the deadline is skipped, and the sender is told at once`() {
    for seed in Self.seeds {
      let run = SenderRun.whole(deadline: .seconds(12), seed: seed)
      let sum = run.gaps.reduce(TimeSpan.zero, +)
      #expect(sum < .seconds(12))
      // 11 s and three random parts: the fourth attempt fits, or not.
      expect(run.failure?.attempts, is: run.gaps.count + 1)
      expect(run.failure?.end, is: (run.gaps.count == 3 ? .noMoreAttempts : .deadline))
    }
    let counts = Set(Self.seeds.map { SenderRun.whole(deadline: .seconds(12), seed: $0).gaps.count })
    expect(counts, is: [2, 3])
    var run = SenderRun(.interim, deadline: .seconds(10))
    run.start()
    run.fail(after: .seconds(3))
    run.wake()
    let directives = run.fail(after: .seconds(3))
    expect(
      directives,
      is: [
        .report(.skipped(attempt: 3)),
        .report(
          .failed(
            SenderFailure(
              failure: .temporaryChannelFailure, code: FailureCode(rawValue: 0x1007), attempts: 2,
              end: .deadline))),
      ])
    #expect(run.machine.deadline == nil)
  }

  @Test(.shows("B-1.7.4.6")) func `A sender that is woken after the deadline begins no attempt`() {
    var run = SenderRun(.interim, deadline: .seconds(10))
    run.start()
    run.fail()
    let directives = run.send(.deadlineReached, after: .seconds(10))
    #expect(directives.attempt == nil)
    expect(directives.failure?.end, is: .deadline)
  }

  @Test func `The deadline is between 10 and 15 s, and there are 1 to 4 attempts`() {
    expect(SenderSettings(.interim, seed: 0).deadline, is: .seconds(12))
    expect(SenderSettings(.interim, deadline: .seconds(9), seed: 0).deadline, is: .seconds(10))
    expect(SenderSettings(.hint, deadline: .seconds(16), seed: 0).deadline, is: .seconds(15))
    expect(SenderSettings(.hint, attempts: 0, seed: 0).attempts, is: 1)
    expect(SenderSettings(.hint, attempts: 5, seed: 0).attempts, is: 4)
    expect(SenderSettings(.off, seed: 0).attempts, is: 1)
  }

  @Test(.shows("B-1.7.4.5")) func `After a success there is no attempt`() {
    for policy in RetryPolicy.allCases {
      var run = SenderRun(policy)
      run.start()
      expect(run.answer(.settled), is: [.report(.settled)])
      #expect(run.machine.deadline == nil)
      #expect(run.wake() == [] && run.start() == [] && run.fail() == [])
    }
  }

  @Test(.shows("K-3", "B-1.7.5.5"))
  func `After the last attempt there is no gap and no hint, and the last error stands`() {
    for policy in [RetryPolicy.interim, .hint] {
      var run = SenderRun(policy, deadline: .seconds(15), attempts: 2)
      run.start()
      run.fail(0x1007)
      run.failHint(.unreachable)
      run.wake()
      expect(
        run.fail(0x2002),
        is: [
          .report(
            .failed(
              SenderFailure(
                failure: .nodeUnreachable, code: FailureCode(rawValue: 0x2002), attempts: 2,
                end: .noMoreAttempts)))
        ])
    }
  }

  @Test(.shows("K-12")) func `At the deadline an attempt under way is pending, and its answer stands`() {
    for (answer, settles) in [(AttemptAnswer.settled, true), (.failed(FailureCode(rawValue: 0x1007)), false)]
    {
      var run = SenderRun(.interim)
      run.start()
      expect(run.machine.deadline, is: run.now + .seconds(12))
      expect(run.wake(), is: [.report(.pending)])
      #expect(run.machine.isInFlight && run.machine.deadline == nil)
      #expect(run.start() == [] && run.wake() == [])
      let directives = run.answer(answer, after: .seconds(8))
      #expect(settles ? directives == [.report(.settled)] : directives.failure?.end == .deadline)
    }
  }

  @Test(.shows("K-12"))
  func `An invoice with an earlier payment under way is not paid again, and not called failed`() {
    var run = SenderRun(.interim)
    run.start()
    expect(run.answer(.alreadyPending), is: [.report(.alreadyPending)])
    #expect(run.wake() == [] && run.start() == [])
    var paid = SenderRun(.hint)
    paid.start()
    expect(paid.answer(.alreadyPaid), is: [.report(.alreadyPaid)])
  }

  @Test(.shows("B-1.7.1.n1")) func `An expired invoice is not paid, and not tried again`() {
    var run = SenderRun(.interim)
    expect(
      run.send(.started(invoiceExpiresAt: run.now)),
      is: [
        .report(.failed(SenderFailure(failure: .invoiceExpired, code: nil, attempts: 0, end: .final)))
      ])
    var later = SenderRun(.interim)
    later.send(.started(invoiceExpiresAt: later.now + .seconds(1)))
    later.fail()
    let directives = later.wake()
    #expect(directives.failure?.failure == .invoiceExpired && directives.failure?.attempts == 1)
  }

  @Test(.shows("B-1.7.7.3")) func `After a failure the user can begin a new payment, with a new deadline`() {
    var run = SenderRun(.interim, attempts: 1)
    run.start()
    #expect(run.fail(after: .seconds(3)).failure != nil)
    expect(run.send(.started(invoiceExpiresAt: nil), after: .seconds(60)), is: [.attempt(1)])
    expect(run.machine.deadline, is: run.now + .seconds(12))
    expect(run.answer(.settled), is: [.report(.settled)])
  }

  @Test func `Without retries there is one attempt, without a deadline`() {
    var run = SenderRun(.off)
    expect(run.start(), is: [.attempt(1)])
    #expect(run.machine.deadline == nil)
    expect(run.fail(after: .seconds(100)).failure?.end, is: .noMoreAttempts)
  }

  @Test func `An answer about another attempt than the current one changes nothing`() {
    var run = SenderRun(.interim)
    run.start()
    run.fail()
    run.wake()
    for number in [0, 1, 3] { expect(run.send(.attemptAnswered(attempt: number, .settled)), is: []) }
    #expect(run.machine.isInFlight)
    expect(run.answer(.settled), is: [.report(.settled)])
  }
}
