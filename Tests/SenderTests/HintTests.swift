import Lightning
import Ground
import TestKit

/// What a hint changes.
@Suite struct HintTests {
  private func failedOnce(
    deadline: TimeSpan = .seconds(12), seed: UInt64 = 1, after span: TimeSpan = .zero
  ) -> SenderRun {
    var run = SenderRun(.hint, deadline: deadline, seed: seed)
    run.start()
    run.fail(after: span)
    return run
  }

  private func isIn(_ span: TimeSpan?, _ milliseconds: ClosedRange<Int64>) -> Bool {
    guard let span else { return false }
    return span >= .milliseconds(milliseconds.lowerBound) && span <= .milliseconds(milliseconds.upperBound)
  }

  @Test(.shows("B-1.7.6.2", "B-1.7.6.1"))
  func `After each failure that may pass a hint is asked for, for up to four attempts`() {
    var run = SenderRun(.hint, deadline: .seconds(15))
    run.start()
    for number in 1...3 {
      expect(run.fail(), is: [.askHint(attempt: number)])
      expect(run.hint(.retryNow).retry?.attempt, is: number + 1)
      expect(run.wake(), is: [.attempt(number + 1)])
    }
    expect(run.fail().failure?.end, is: .noMoreAttempts)
    var final = SenderRun(.hint)
    final.start()
    expect(final.fail(0x400F).failure?.end, is: .final)
  }

  @Test(.shows("B-1.7.3.1", "B-1.7.6.3"))
  func `After retry_now the next attempt is soon, after 1 s if nothing is recommended`() {
    for seed in 0..<100 as Range<UInt64> {
      var standard = failedOnce(seed: seed)
      #expect(isIn(standard.hint(.retryNow).retry?.after, 1000...1500))
      var soon = failedOnce(seed: seed)
      #expect(isIn(soon.hint(.retryNow, .disconnected, 200).retry?.after, 200...700))
    }
  }

  @Test(.shows("B-1.7.3.2", "B-1.7.6.4", "K-9"))
  func `retry_later gives one further attempt, after 5 s if nothing is recommended`() {
    for seed in 0..<100 as Range<UInt64> {
      var run = failedOnce(seed: seed)
      #expect(isIn(run.hint(.retryLater).retry?.after, 5000...5500))
      run.wake()
      run.fail()
      let hint = ForwardingHint(.retryLater, .disconnected, recommendedDelayMs: 10)
      expect(run.hint(.retryLater, .disconnected, 10).failure?.end, is: .hint(hint))
    }
  }

  @Test func `After Retry Now the payment may be delayed once more`() {
    var run = failedOnce()
    run.hint(.retryLater)
    run.wake()
    run.fail()
    #expect(run.hint(.doNotRetry).failure != nil)
    expect(run.start(), is: [.attempt(1)])
    run.fail()
    expect(run.hint(.retryLater).retry?.attempt, is: 2)
  }

  @Test(.shows("K-9")) func `A recommended delay is cut so that the attempt ends before the deadline`() {
    for delay in [11_000, 1_000_000_000_000, UInt64.max] {
      for hint in [ForwardingHint.Advice.retryNow, .retryLater] {
        var run = failedOnce(after: .seconds(2))
        let started = run.now + .seconds(-2)
        run.hint(hint, .disconnected, delay)
        expect(run.wake(), is: [.attempt(2)])
        expect(run.now, is: started + .seconds(11))
      }
    }
  }

  @Test(.shows("K-9")) func `A hint after which no attempt fits ends the payment with its own advice`() {
    var run = failedOnce(deadline: .seconds(10), after: .milliseconds(8900))
    let directives = run.hint(.retryNow, .insufficientLiquidity, 0, after: .milliseconds(200))
    expect(directives.first, is: .report(.skipped(attempt: 2)))
    expect(
      directives.failure?.end,
      is: .hint(ForwardingHint(.retryNow, .insufficientLiquidity, recommendedDelayMs: 0)))
  }

  @Test(.shows("B-1.7.3.3", "B-1.7.6.5"))
  func `do_not_retry ends the payment at once, with the failure's own error`() {
    for reason in ForwardingHint.Reason.allCases {
      var run = failedOnce()
      expect(
        run.hint(.doNotRetry, reason),
        is: [
          .report(
            .failed(
              SenderFailure(
                failure: .temporaryChannelFailure, code: FailureCode(rawValue: 0x1007), attempts: 1,
                end: .hint(ForwardingHint(.doNotRetry, reason)))))
        ])
    }
  }

  @Test(.shows("K-10", "B-1.7.5.6"))
  func `Without a hint the schedule without hints serves, with its random part`() {
    let failures: [HintFailure] = [
      .unreachable, .refused(status: 500), .silent, .tooLong, .noHint(.noJSON), .noHint(.badDelay),
    ]
    for failure in failures {
      for seed in 0..<50 as Range<UInt64> {
        var run = failedOnce(seed: seed)
        let retry = run.failHint(failure, after: .milliseconds(300)).retry
        expect(retry?.cause, is: .noHint(failure))
        // The time of the question is part of the gap.
        #expect(isIn(retry?.after, 700...1200))
      }
    }
  }

  @Test(.shows("K-10"))
  func `A hint that does not come within a second is given up, and its late answer changes nothing`() {
    var run = failedOnce()
    let failedAt = run.now
    expect(run.machine.deadline, is: run.now + .seconds(1))
    expect(run.wake().retry?.cause, is: .noHint(.silent))
    expect(run.hint(.doNotRetry), is: [])
    expect(run.wake(), is: [.attempt(2)])
    #expect(isIn(run.now - failedAt, 1000...1500))
  }

  @Test(.shows("K-10")) func `The attempt after a hint has a random part too`() {
    let after = Set(
      (0..<50 as Range<UInt64>).map { seed in
        var run = failedOnce(seed: seed)
        return run.hint(.retryNow, .disconnected, 1000).retry?.after
      })
    expect(after.count, is: 50)
  }

  @Test(.shows("K-4")) func `The news that there is no hint, after the deadline, begins no attempt`() {
    var run = failedOnce(deadline: .seconds(10), after: .seconds(8))
    expect(run.failHint(.unreachable, after: .seconds(5)).failure?.end, is: .deadline)
  }

  @Test(.shows("K-4")) func `A hint is not asked for when no attempt could follow`() {
    var run = SenderRun(.hint, deadline: .seconds(10))
    run.start()
    let directives = run.fail(after: .milliseconds(9500))
    expect(directives.first, is: .report(.skipped(attempt: 2)))
    expect(directives.failure?.end, is: .deadline)
  }
}
