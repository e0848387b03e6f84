import Lightning
import TestKit

@Suite struct FailureClassTests {
  private static let classes: [(FailureClass, [UInt16])] = [
    (.amountBelowMinimum, [0x100B]),
    (.unsupportedFeatures, [0x6003, 0xC004, 0xC005, 0xC006, 0x4009, 0x4016, 0xC018]),
    (.incorrectPaymentDetails, [0x400F]), (.recipientRejected, [0x0013]),
    (.permanentPolicyError, [0x6002, 0x4008]), (.temporaryChannelFailure, [0x1007, 0x0017]),
    (.nodeUnreachable, [0x2002, 0x400A, 0x1014]),
    (.feeOrExpiryConstraint, [0x100C, 0x100D, 0x100E, 0x0012, 0x0015]),
  ]

  @Test(.shows("B-1.7.5.3", "B-1.7.5.4", "K-7", "K-47"))
  func `Each failure code has one of eleven classes, and four of these may pass`() {
    for (expected, codes) in Self.classes {
      for code in codes { expect(FailureCode(rawValue: code).failureClass, is: expected) }
    }
    expect(Self.classes.flatMap(\.1).count, is: FailureCode.all.count)
    let passing: [FailureClass] = [
      .routeNotFound, .temporaryChannelFailure, .nodeUnreachable, .feeOrExpiryConstraint,
    ]
    expect(FailureClass.allCases.count, is: 11)
    expect(FailureClass.allCases.filter(\.mayPass), is: passing)
  }

  @Test(.shows("B-1.7.1.n2b", "B-1.7.1.n3", "B-1.7.1.n4", "B-1.7.1.n5", "B-1.7.1.n6"))
  func `A final failure ends the payment after one attempt`() {
    for (failure, codes) in Self.classes where !failure.mayPass {
      for code in codes {
        for policy in RetryPolicy.allCases {
          let run = SenderRun.whole(policy, seed: 1, code: code)
          expect(run.gaps, is: [])
          expect(
            run.failure,
            is: SenderFailure(failure: failure, code: FailureCode(rawValue: code), attempts: 1, end: .final))
        }
      }
    }
  }

  @Test(.shows("B-1.7.1.m2", "B-1.7.1.m3", "B-1.7.1.m4", "K-6"))
  func `After a failure that may pass the schedule goes on`() {
    for (failure, codes) in Self.classes where failure.mayPass {
      for code in codes {
        let run = SenderRun.whole(seed: 7, code: code)
        expect(run.gaps.count, is: 3)
        expect(
          run.failure,
          is: SenderFailure(
            failure: failure, code: FailureCode(rawValue: code), attempts: 4, end: .noMoreAttempts))
      }
    }
  }

  @Test(.shows("B-1.7.1.m4")) func `A refused fee that is accepted later is paid by a later attempt`() {
    var run = SenderRun(.interim)
    run.start()
    run.fail(0x100C)
    run.wake()
    run.fail(0x100D)
    expect(run.wake(), is: [.attempt(3)])
    expect(run.answer(.settled), is: [.report(.settled)])
  }

  @Test(.shows("B-1.7.1.m1")) func `Without a route nothing is sent, and the schedule goes on`() {
    var run = SenderRun(.interim)
    run.start()
    expect(run.answer(.notSent(.notRunning)).retry?.attempt, is: 2)
    expect(run.wake(), is: [.attempt(2)])
  }
}
