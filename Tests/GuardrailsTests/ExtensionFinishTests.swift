@testable import Guardrails

/// Each way in which a push is finished; its text is delivered once, after the node is released.
@Suite struct ExtensionFinishTests {
  private let owned = GuardEvent.rowRead(row(8, .extension), appWantsNode: false)
  private let missed = PushOutcome.nothingReceived(.incomingPayment)

  private func released(counter: UInt64) -> [GuardDirective] {
    [
      .stopNode(gracefully: true), .readRow, .beat(epoch: 8, phase: .released, counter: counter), .dropLock,
      .settle, .say(PresenceMessage(code: .extensionUnavailable, released: 8)),
    ]
  }

  @Test func `At 29.5 s the node is released, and then the text is delivered`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, owned, at: 29.499)
    let end = notifier.release(.deadlineReached, at: 29.5)
    expect(end, is: released(counter: 5) + [.deliver(push: 1, missed), .finished(push: 1, .totalTime)])
  }

  @Test func `After 5 s without another payment the push is finished`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), at: 3)
    notifier.play(.deadlineReached, owned, at: 7)
    notifier.play(.node(.received(secondPayment)), at: 7.999)
    notifier.play(.deadlineReached, owned, at: 12.998)
    let end = notifier.release(.deadlineReached, at: 12.999)
    expect(
      end, is: released(counter: 6) + [.deliver(push: 1, .received(payment)), .finished(push: 1, .idle)])
  }

  /// The activity ended with the connection: the text does not wait for it until the total time is over.
  @Test(arguments: [NodeActivity.settling, .splicing])
  func `Activity reported before the connection was lost does not delay the extension's idle end`(
    underWay: NodeActivity
  ) {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), .node(.busy(underWay)), at: 3)
    notifier.play(.node(.connecting), owned, at: 4)
    let end = notifier.release(.deadlineReached, at: 8)
    expect(end.suffix(2), is: [.deliver(push: 1, .received(payment)), .finished(push: 1, .idle)])
  }

  /// A notification deferred to the end would be lost if the process were killed there.
  @Test func `Each further payment gets its own notification at once`() {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.play(.node(.received(secondPayment)), at: 3), is: [])
    let own = notifier.send(.node(.received(payment)), at: 4)
    expect(own, is: [.notify(secondPayment)], "the text is for the push's own payment")
    let third = ReceivedPayment(paymentHash: paymentHash("cc"), amountMsat: 1000, text: "")
    expect(notifier.send(.node(.received(third)), at: 5), is: [.notify(third)])
    notifier.play(.deadlineReached, owned, at: 9)
    let end = notifier.release(.deadlineReached, at: 10)
    expect(
      end, is: released(counter: 5) + [.deliver(push: 1, .received(payment)), .finished(push: 1, .idle)])
  }

  @Test func `Before the first payment the extension does not finish as idle`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let answer = notifier.send(.deadlineReached, at: 20)
    expect(answer, is: [.readRow])
  }

  @Test func `A payment received at 28 s does not delay the extension's end beyond 29.5 s`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), at: 28)
    expect(notifier.release(.deadlineReached, at: 29.5).last, is: .finished(push: 1, .totalTime))
  }

  @Test func `An unreadable push is finished with a text and without an ownership check`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched)
    let answer = notifier.send(.pushArrived(push(1, .unreadable)))
    #expect(!answer.contains(.look))
    expect(answer.last, is: .finished(push: 1, .unreadablePush))
    #expect(answer.contains { if case .phone(.deliver(push: 1, _)) = $0 { true } else { false } })
  }

  @Test func `An expiry warning finishes its own push only`() {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.send(.expiryWarned(push: 2)), is: [], "a warning for another push")
    let end = notifier.release(.expiryWarned(push: 1), at: 1)
    expect(end.suffix(2), is: [.deliver(push: 1, missed), .finished(push: 1, .timeWillExpire)])
    expect(notifier.send(.expiryWarned(push: 1)), is: [])
  }

  @Test func `A fenced extension stops the node, unlocks, delivers the text, finishes the push and ends`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let end = notifier.end(.node(.fenced))
    expect(end.prefix(2), is: [.stopNode(gracefully: false), .dropLock])
    expect(
      end.suffix(3), is: [.deliver(push: 1, missed), .finished(push: 1, .fenced), .end(.fenced)])
    expect(notifier.send(.pushArrived(push(2))), is: [])
  }

  @Test func `An extension that reads another process's claim row ends without a beat`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, at: 2)
    let end = notifier.end(.rowRead(row(9, .app), appWantsNode: true))
    #expect(!end.contains { if case .container(.beat) = $0 { true } else { false } })
    expect(end.last, is: .end(.fenced))
  }

  @Test func `Asked to terminate, the extension releases the node, delivers the text and ends`() {
    var notifier = Driver<ExtensionMachine>.connected()
    let end = notifier.release(.terminationRequested, at: 1)
    expect(
      end.suffix(3), is: [.deliver(push: 1, missed), .finished(push: 1, .terminated), .end(.terminated)])
  }

  @Test func `When the extension ends, the end of its process is the last directive`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let end = notifier.machine.handle(.terminationRequested, at: notifier.now)
    expect(end.last, is: question)
    expect(notifier.machine.handle(.receivedFound([], push: 1), at: notifier.now).last, is: .end(.terminated))
  }

  @Test(.shows("B-1.1.5"), arguments: [Push.Reason.incomingPayment, .pendingSettlement, .other])
  func `A push without a payment has a text for the push's reason`(reason: Push.Reason) {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched, .pushArrived(push(1, reason)))
    #expect(notifier.end(.expiryWarned(push: 1)).contains(.deliver(push: 1, .nothingReceived(reason))))
  }

  // MARK: The text, if the release takes long

  @Test func `A payment received during the release is in the text, and a further one is notified`() {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.end(.expiryWarned(push: 1), at: 1), is: [.stopNode(gracefully: true)])
    expect(notifier.send(.node(.received(payment))), is: [])
    expect(notifier.send(.node(.received(secondPayment))), is: [.notify(secondPayment)])
    notifier.play(.node(.stopped))
    #expect(notifier.send(owned).contains(.deliver(push: 1, .received(payment))))
  }

  /// iOS kills the process 500 ms after 29.5 s.
  @Test func `A node that is slow to stop is cut off at 29.7 s, and the text is delivered without the lock`()
  {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, owned, at: 29.499)
    expect(notifier.end(.deadlineReached, at: 29.5).last, is: .stopNode(gracefully: true))
    expect(notifier.machine.deadline, is: seconds(29.7))
    let end = notifier.send(.deadlineReached, at: 29.7)
    expect(end.prefix(2), is: [.stopNode(gracefully: false), .dropLock])
    expect(
      end.filter { if case .phone(let order) = $0 { order.mayEndProcess } else { false } },
      is: [
        .deliver(push: 1, missed), .finished(push: 1, .totalTime),
      ])
    expect(notifier.send(.node(.stopped)), is: [])
    expect(notifier.send(owned), is: [])
  }

  @Test func `An expiry warning during the release bounds it by 200 ms`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.received(payment)), at: 3)
    notifier.play(.deadlineReached, owned, at: 7)
    expect(notifier.end(.deadlineReached, at: 8), is: [.stopNode(gracefully: true)])
    expect(notifier.send(.expiryWarned(push: 1), at: 9), is: [])
    expect(notifier.machine.deadline, is: seconds(9.2))
    let end = notifier.send(.deadlineReached, at: 9.2)
    expect(end.prefix(2), is: [.stopNode(gracefully: false), .dropLock])
    #expect(end.contains(.deliver(push: 1, .received(payment))))
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
      end = notifier.release(request, at: 1)
    } else {
      notifier = .claimed()
      notifier.play(request, .node(.stopped), .rowRead(row(8, .extension), appWantsNode: true), at: 1)
      notifier.play(.observed(observation(row(8, .extension), lockIsBusy: false, appWantsNode: true)))
      notifier.play(.deadlineReached, at: 1.25)
      end = notifier.send(.observed(observation(row(9, .app), lockIsBusy: true, appWantsNode: true)))
    }
    let text = end.compactMap { if case .phone(.deliver(1, let outcome)) = $0 { outcome } else { nil } }
    expect(text, is: [.appContinues])
    expect(end.last, is: .finished(push: 1, reason))
  }
}
