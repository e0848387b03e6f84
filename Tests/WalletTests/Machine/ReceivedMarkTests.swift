@testable import Wallet

/// Payments received since a push that names no payment.
@Suite("A push marks the newest payment received before it") struct ReceivedMarkTests {
  private let ping = WalletDirective.phone(
    .guardrail(.say(PresenceMessage(code: .extensionPing, wantsNode: true))))
  /// The app holds the node, so the extension reads what the app has received.
  private let held = GuardEvent.observed(
    Observation(
      row: row(7, .app), holderLockIsBusy: true, beat: nil, appWantsNode: false, boot: boot,
      bootClock: seconds(0)))

  /// Serves push 1, which names no payment; the container has not answered.
  private func pushed() -> TestWallet<ExtensionMachine> {
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(.guardrail(.launched))
    expect(
      notifier.send(.pushArrived(Push(id: 1, reason: .incomingPayment))),
      is: [
        .container(.markReceived(push: 1)), ping, .container(.guardrail(.look)),
        .phone(.guardrail(.show(.claiming))),
      ])
    return notifier
  }

  private func questions(_ directives: [WalletDirective]) -> [ContainerOrder] {
    directives.compactMap {
      guard case .container(let order) = $0 else { return nil }
      switch order {
      case .markReceived, .readReceived: return order
      default: return nil
      }
    }
  }

  @Test func `For a push with a payment hash the newest earlier payment is not read`() {
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(.guardrail(.launched))
    expect(
      notifier.send(.pushArrived(Push(id: 1, reason: .incomingPayment, paymentHash: hash("aa")))),
      is: [
        ping, .container(.readReceived(.of(paymentHash: hash("aa")), push: 1)),
        .container(.guardrail(.look)),
        .phone(.guardrail(.show(.claiming))),
      ])
  }

  @Test func `For a push without a hash, no payment is read before the newest earlier payment is known`() {
    var notifier = pushed()
    expect(questions(notifier.send(held)), is: [.markReceived(push: 1)])
    expect(
      notifier.partEvents.last,
      is: .guardrail(
        .receivedNotRead(.failed("the newest payment before the push is not known yet"), push: 1)))
    notifier.play(.receivedMarked(push: 1, newest: 3))
    expect(
      questions(notifier.send(.guardrail(.deadlineReached), at: 0.25)).first,
      is: .readReceived(.after(3), push: 1))
  }

  @Test func `A waiting push does not change which payments count as received since the push before it`() {
    var notifier = pushed()
    notifier.play(.receivedMarked(push: 1, newest: 3))
    expect(
      questions(notifier.send(.pushArrived(Push(id: 2, reason: .incomingPayment)))),
      is: [.markReceived(push: 2)])
    notifier.play(.receivedMarked(push: 2, newest: 5))
    expect(questions(notifier.send(held)), is: [.readReceived(.after(3), push: 1)])
    // A mark once set stays.
    notifier.play(.receivedMarked(push: 1, newest: 9))
    expect(questions(notifier.send(held)), is: [.readReceived(.after(3), push: 1)])
    notifier.play(
      .guardrail(.receivedFound([ReceivedPayment(paymentHash: hash("aa"), amountMsat: 1, text: "")], push: 1))
    )
    expect(questions(notifier.send(held)), is: [.readReceived(.after(5), push: 2)])
  }
}
