import Ground
import Guardrails
import Testing

@testable import Wallet

/// What came since a push that names no payment.
@Suite("What was received before a push is marked when it comes") struct ReceivedMarkTests {
  private let initMessage = WalletDirective.phone(
    .say(PresenceMessage(code: .extensionPing, wantsNode: true)))
  /// The app holds the node: what it has received is asked for.
  private let held = GuardEvent.observed(
    Observation(
      row: row(7, .app), holderLockIsBusy: true, beat: nil, appWantsNode: false, boot: boot,
      bootClock: seconds(0)))

  /// Serves push 1, which names no payment; nothing of the container was answered.
  private func pushed() -> TestWallet<ExtensionMachine> {
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(.guardrail(.launched))
    #expect(
      notifier.send(.pushArrived(Push(id: 1, reason: .incomingPayment)))
        == [
          .container(.markReceived(push: 1)), initMessage, .container(.look), .phone(.show(.claiming)),
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

  @Test("A push that names its payment needs no mark") func named() {
    var notifier = TestWallet<ExtensionMachine>()
    notifier.play(.guardrail(.launched))
    #expect(
      notifier.send(.pushArrived(Push(id: 1, reason: .incomingPayment, paymentHash: hash("aa"))))
        == [
          initMessage, .container(.readReceived(.of(paymentHash: hash("aa")), push: 1)), .container(.look),
          .phone(.show(.claiming)),
        ])
  }

  @Test("Without a mark nothing is found: it is set, and only then asked what came since")
  func unmarked() {
    var notifier = pushed()
    #expect(questions(notifier.send(held)) == [.markReceived(push: 1)])
    #expect(
      notifier.thoughts.last
        == .guardrail(
          .receivedNotRead(.failed("the newest payment before the push is not known yet"), push: 1)))
    notifier.play(.receivedMarked(push: 1, newest: 3))
    #expect(
      questions(notifier.send(.guardrail(.deadlineReached), at: 0.25)).first
        == .readReceived(.after(3), push: 1))
  }

  @Test("A push that waits moves the mark of no other one") func each() {
    var notifier = pushed()
    notifier.play(.receivedMarked(push: 1, newest: 3))
    #expect(
      questions(notifier.send(.pushArrived(Push(id: 2, reason: .incomingPayment))))
        == [.markReceived(push: 2)])
    notifier.play(.receivedMarked(push: 2, newest: 5))
    #expect(questions(notifier.send(held)) == [.readReceived(.after(3), push: 1)])
    // A mark that was set stays, whatever is answered later.
    notifier.play(.receivedMarked(push: 1, newest: 9))
    #expect(questions(notifier.send(held)) == [.readReceived(.after(3), push: 1)])
    notifier.play(
      .guardrail(.receivedFound([ReceivedPayment(paymentHash: hash("aa"), amountMsat: 1, text: "")], push: 1))
    )
    #expect(questions(notifier.send(held)) == [.readReceived(.after(5), push: 2)])
  }
}
