import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// Each way in which a push is finished; its text is delivered first, and once.
@Suite struct ExtensionFinishTests {
  private let owned = GuardEvent.rowRead(row(8, .extension), appWantsNode: false)
  private let missed = PushOutcome.nothingReceived(.incomingPayment)

  /// All directives from this event to the finished push, with a node that stops at once.
  private func ending(
    _ notifier: inout Driver<ExtensionMachine>, _ event: GuardEvent, at second: Double
  ) -> [GuardDirective] {
    var all = notifier.end(event, at: second)
    if all.contains(.stopNode(gracefully: true)) {
      all += notifier.send(.node(.stopped))
      all += notifier.send(owned)
    }
    return all
  }

  private func released(counter: UInt64) -> [GuardDirective] {
    [
      .stopNode(gracefully: true), .readRow, .beat(epoch: 8, phase: .released, counter: counter), .dropLock,
      .say(PresenceMessage(code: .extensionUnavailable, released: 8)),
    ]
  }

  @Test func `At 29.5 s the text is delivered and the node released`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, owned, at: 29.499)
    let end = ending(&notifier, .deadlineReached, at: 29.5)
    #expect(end == [.deliver(push: 1, missed)] + released(counter: 5) + [.finished(push: 1, .totalTime)])
  }

  @Test func `After 5 s without another payment the push is finished`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), at: 3)
    notifier.play(.deadlineReached, owned, at: 7)
    notifier.play(.node(.received(secondPayment)), at: 7.999)
    notifier.play(.deadlineReached, owned, at: 12.998)
    let end = ending(&notifier, .deadlineReached, at: 12.999)
    #expect(
      end == [.deliver(push: 1, .received(payment))] + released(counter: 6) + [.finished(push: 1, .idle)])
  }

  /// The activity ended with the connection: the text does not wait for it until the total time is over.
  @Test(arguments: [NodeActivity.settling, .splicing])
  func `Activity reported before the connection was lost does not delay the extension's idle end`(
    underWay: NodeActivity
  ) {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), .node(.busy(underWay)), at: 3)
    notifier.play(.node(.connecting), owned, at: 4)
    let end = ending(&notifier, .deadlineReached, at: 8)
    #expect(end.first == .deliver(push: 1, .received(payment)))
    #expect(end.last == .finished(push: 1, .idle))
  }

  /// A notification deferred to the end would be lost if the process were killed there.
  @Test func `Each further payment gets its own notification at once`() {
    var notifier = Driver<ExtensionMachine>.connected()
    #expect(notifier.play(.node(.received(secondPayment)), at: 3) == [])
    let own = notifier.send(.node(.received(payment)), at: 4)
    #expect(
      own == [.notify(secondPayment)],
      "the text is for the push's own payment")
    let third = ReceivedPayment(paymentHash: paymentHash("cc"), amountMsat: 1000, text: "")
    #expect(
      notifier.send(.node(.received(third)), at: 5) == [.notify(third)]
    )
    notifier.play(.deadlineReached, owned, at: 9)
    let end = ending(&notifier, .deadlineReached, at: 10)
    #expect(
      end == [.deliver(push: 1, .received(payment))] + released(counter: 5) + [.finished(push: 1, .idle)])
  }

  @Test func `Before the first payment the extension does not finish as idle`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let answer = notifier.send(.deadlineReached, at: 20)
    #expect(answer == [.readRow])
  }

  @Test func `A payment received at 28 s does not delay the extension's end beyond 29.5 s`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), at: 28)
    #expect(ending(&notifier, .deadlineReached, at: 29.5).last == .finished(push: 1, .totalTime))
  }

  @Test func `An unreadable push is finished with a text and without an ownership check`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched)
    let answer = notifier.send(.pushArrived(push(1, .unreadable)))
    #expect(!answer.contains(.look))
    #expect(answer.last == .finished(push: 1, .unreadablePush))
    #expect(answer.contains { if case .deliver(push: 1, _) = $0 { true } else { false } })
  }

  @Test func `An expiry warning finishes its own push only`() {
    var notifier = Driver<ExtensionMachine>.connected()
    #expect(notifier.send(.expiryWarned(push: 2)) == [], "a warning for another push")
    let end = ending(&notifier, .expiryWarned(push: 1), at: 1)
    #expect(end.first == .deliver(push: 1, missed))
    #expect(end.last == .finished(push: 1, .timeWillExpire))
    #expect(notifier.send(.expiryWarned(push: 1)) == [])
  }

  @Test func `A fenced extension stops the node, unlocks, delivers the text, finishes the push and ends`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let end = notifier.end(.node(.fenced))
    #expect(end.prefix(3) == [.stopNode(gracefully: false), .dropLock, .deliver(push: 1, missed)])
    #expect(end.suffix(2) == [.finished(push: 1, .fenced), .end(.fenced)])
    #expect(notifier.send(.pushArrived(push(2))) == [])
  }

  @Test func `An extension that reads another process's claim row ends without a beat`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, at: 2)
    let end = notifier.end(.rowRead(row(9, .app), appWantsNode: true))
    #expect(!end.contains { if case .beat = $0 { true } else { false } })
    #expect(end.last == .end(.fenced))
  }

  @Test func `Asked to terminate, the extension delivers the text, releases the node and ends`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let end = ending(&notifier, .terminationRequested, at: 1)
    #expect(end.first == .deliver(push: 1, missed))
    #expect(end.suffix(2) == [.finished(push: 1, .terminated), .end(.terminated)])
  }

  @Test func `When the extension ends, the end of its process is the last directive`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let end = notifier.machine.handle(.terminationRequested, at: notifier.now)
    #expect(end.last == question)
    #expect(notifier.machine.handle(.receivedFound([], push: 1), at: notifier.now).last == .end(.terminated))
  }

  @Test(arguments: [Push.Reason.incomingPayment, .pendingSettlement, .onionMessage])
  func `A push without a payment has a text for the push's reason`(reason: Push.Reason) {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched, .pushArrived(push(1, reason)))
    #expect(notifier.end(.expiryWarned(push: 1)).first == .deliver(push: 1, .nothingReceived(reason)))
  }

  /// The app may hold the node without reaching the peer, so the text promises no payment.
  @Test(arguments: [FinishReason.appWantsNode, .handedOver])
  func `When the app takes the node, the text says that the app continues`(reason: FinishReason) {
    let request = GuardEvent.presenceHeard(
      PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true))
    var notifier: Driver<ExtensionMachine>
    var end: [GuardDirective]
    if reason == .handedOver {
      notifier = .connected()
      end = ending(&notifier, request, at: 1)
    } else {
      notifier = .claimed()
      notifier.play(request, .node(.stopped), .rowRead(row(8, .extension), appWantsNode: true), at: 1)
      notifier.play(.observed(observation(row(8, .extension), lockIsBusy: false, appWantsNode: true)))
      notifier.play(.deadlineReached, at: 1.25)
      end = notifier.send(.observed(observation(row(9, .app), lockIsBusy: true, appWantsNode: true)))
    }
    let text = end.compactMap { if case .deliver(1, let outcome) = $0 { outcome } else { nil } }
    #expect(text == [.appContinues])
    #expect(end.last == .finished(push: 1, reason))
  }
}
