@testable import Guardrails

/// Another process may have received a push's payment: the container is read when the push arrives and before it ends.
@Suite("Reading payments that another process received") struct LastQuestionTests {
  private let missed = GuardDirective.deliver(push: 1, .nothingReceived(.incomingPayment))
  private let delivered = GuardDirective.deliver(push: 1, .received(payment))
  private let owned = GuardEvent.rowRead(row(8, .extension), appWantsNode: false)
  private let failed = GuardEvent.receivedNotRead(.failed("The disk is broken."), push: 1)

  @Test
  func `A failed read is repeated every 250 ms, and the text reports the payment found by the repeated read`()
  {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.send(failed, at: 1), is: [])
    expect(notifier.machine.deadline, is: seconds(1.25))
    expect(notifier.send(.deadlineReached, at: 1.25), is: [question])
    expect(notifier.send(failed), is: [])
    expect(notifier.send(.deadlineReached, at: 1.5), is: [question])
    notifier.play(.receivedFound([payment], push: 1))
    expect(notifier.machine.deadline, is: seconds(2))
    notifier.play(.deadlineReached, owned, at: 6)
    #expect(notifier.release(.deadlineReached, at: 6.5).contains(delivered))
  }

  @Test func `After a successful read the repetition every 250 ms stops`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(failed, .receivedFound([], push: 1))
    #expect(!notifier.send(.deadlineReached, at: 2).contains(question))
  }

  @Test(
    arguments: [
      GuardEvent.expiryWarned(push: 1), .terminationRequested, .node(.fenced),
      .node(.refused(highest: 20, container: otherContainer)), .deadlineReached,
    ])
  func `The container is read once more before a push ends without a payment`(event: GuardEvent) {
    let isRefused = if case .node(.refused) = event { true } else { false }
    let missed = isRefused ? GuardDirective.deliver(push: 1, .usedByAnotherDevice) : missed
    for found in [[payment], []] {
      var notifier = Driver<ExtensionMachine>.connected()
      let asked = notifier.send(event, at: event == .deadlineReached ? 29.5 : 1)
      #expect(asked.contains(question) && !asked.contains(missed))
      #expect(
        notifier.send(event).allSatisfy { $0 != question && $0 != missed }, "the container is read once")
      // A refused node is being stopped already.
      let end =
        notifier.release(.receivedFound(found, push: 1)) + notifier.send(.node(.stopped))
        + notifier.send(owned)
      #expect(end.contains(found.isEmpty ? missed : delivered))
      // An earlier push's notification of this payment is withdrawn.
      expect(end.contains(.withdraw(payment: paymentHash("aa"))), is: !found.isEmpty)
    }
  }

  @Test(arguments: [true, false])
  func `The end of a push waits at most 150 ms for the container's answer`(fails: Bool) {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.expiryWarned(push: 1), at: 1)
    expect(notifier.machine.deadline, is: seconds(1.15))
    if fails {
      #expect(notifier.release(failed).contains(missed))
    } else {
      expect(notifier.send(.deadlineReached, at: 1.149), is: [])
      #expect(notifier.release(.deadlineReached, at: 1.15).contains(missed))
    }
    expect(notifier.send(.receivedFound([payment], push: 1)), is: [], "the text is delivered")
  }

  @Test func `Of several payments found, the text reports the first, and each other gets a notification`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.expiryWarned(push: 1))
    expect(
      notifier.send(.receivedFound([payment, secondPayment], push: 1)),
      is: [.notify(secondPayment), .stopNode(gracefully: true)])
    expect(
      notifier.release(.node(.stopped)).suffix(3),
      is: [.withdraw(payment: paymentHash("aa")), delivered, .finished(push: 1, .timeWillExpire)])
  }

  @Test func `A fenced extension that waits for the container's answer does not check ownership again`() {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.send(.node(.fenced)), is: [.stopNode(gracefully: false), .dropLock, question])
    expect(notifier.send(.partnerEnded), is: [])
    expect(
      notifier.send(.receivedFound([payment], push: 1)).suffix(2),
      is: [.finished(push: 1, .fenced), .end(.fenced)])
  }

  @Test
  func `The text waits for no read once the container is lost or the extension hands over to the app`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.expiryWarned(push: 1))
    #expect(notifier.send(.receivedNotRead(.lost("It is gone."), push: 1)).contains(missed))
    notifier = .connected()
    #expect(notifier.send(.containerLost("It is gone.")).contains(missed))
    notifier = .connected()
    let intent = PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true)
    #expect(notifier.release(.presenceHeard(intent)).contains(.deliver(push: 1, .appContinues)))
  }

  @Test func `For each queued push the container is read and a text delivered before the extension ends`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(
      .pushArrived(push(2, hash: paymentHash("bb"))), .pushArrived(push(3, hash: paymentHash("cc"))))
    let second = GuardDirective.readReceived(paymentHash: paymentHash("bb"), push: 2)
    expect(notifier.send(.expiryWarned(push: 2)), is: [second])
    expect(notifier.send(.pushArrived(push(2, hash: paymentHash("bb")))), is: [], "the push is known")
    expect(
      notifier.send(.receivedFound([secondPayment], push: 2)),
      is: [
        .withdraw(payment: paymentHash("bb")), .deliver(push: 2, .received(secondPayment)),
        .finished(push: 2, .timeWillExpire),
      ])
    let fenced = notifier.end(.node(.fenced))
    expect(fenced.last, is: .readReceived(paymentHash: paymentHash("cc"), push: 3))
    expect(
      notifier.send(.receivedNotRead(.failed("x"), push: 3)),
      is: [
        .deliver(push: 3, .nothingReceived(.incomingPayment)), .finished(push: 3, .fenced), .end(.fenced),
      ])
  }

  @Test
  func `A queued push's text is delivered 150 ms after an unanswered read, or when the container is lost`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.pushArrived(push(2, hash: paymentHash("bb"))), .expiryWarned(push: 2), at: 1)
    var lost = notifier
    let text = GuardDirective.deliver(push: 2, .nothingReceived(.incomingPayment))
    expect(notifier.send(.deadlineReached, at: 1.15), is: [text, .finished(push: 2, .timeWillExpire)])
    #expect(lost.send(.receivedNotRead(.lost("It is gone."), push: 2)).contains(text))
  }

  @Test func `A second answer to a finished push's read does not change the next push's text`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched, .pushArrived(push(1)), .pushArrived(push(2, hash: paymentHash("bb"))))
    #expect(
      notifier.send(.receivedFound([payment], push: 1)).contains(
        .readReceived(paymentHash: paymentHash("bb"), push: 2)))
    expect(notifier.send(.receivedFound([payment], push: 1)), is: [])
    #expect(
      notifier.send(.receivedFound([secondPayment], push: 2)).contains(
        .deliver(push: 2, .received(secondPayment))))
  }
}
