@testable import Guardrails

/// How the app and the extension treat an incomplete set of HTLCs in the background and at their end.
@Suite("Multi-part payments") struct MultiPartGuardTests {
  private let leaving: [GuardDirective] = [
    .withdrawIntent, .say(PresenceMessage(code: .appPing)), .stopNode(gracefully: true),
  ]

  @Test(.shows("P-1.4"))
  func `An app that goes home while parts of a payment are pending keeps the node until it is settled`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.node(.busy(.collecting([paymentHash("aa")])))), is: [])
    #expect(app.machine.hasNamedTask)
    expect(
      app.send(.enteredBackground),
      is: [
        .beginBackgroundTask(1, name: "incoming multi-part payment"), .backgroundDone,
      ])
    expect(app.machine.place, is: .staying)
    app.play(.node(.busy(.settling)))
    expect(app.machine.place, is: .staying, "the complete set settles")
    expect(app.send(.node(.busy(.nothing))).suffix(3), is: leaving[...])
  }

  @Test func `A payment received in the background gets a local notification, in the foreground none`() {
    let notified = GuardDirective.notify(payment)
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(
      !app.send(.node(.received(secondPayment))).contains {
        if case .wallet(.notify) = $0 { true } else { false }
      })
    app.play(.node(.busy(.collecting([paymentHash("aa")]))), .enteredBackground, .node(.busy(.settling)))
    expect(app.machine.place, is: .staying)
    expect(app.send(.node(.received(payment))), is: [notified])
    app.play(.node(.busy(.nothing)))
    expect(app.machine.place, is: .leaving)
    expect(app.send(.node(.received(payment))), is: [notified], "while the app releases")
  }

  private func text(at second: Double, of notifier: inout Driver<ExtensionMachine>) -> GuardDirective? {
    notifier.release(.deadlineReached, at: second).first {
      if case .phone(.deliver) = $0 { true } else { false }
    }
  }

  @Test
  func `The text of a push reports whether its payment's parts wait, were failed back or were received`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.collecting([paymentHash("aa")]))))
    expect(text(at: 29.5, of: &notifier), is: .deliver(push: 1, .partsWait))
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.collecting([paymentHash("aa")]))), .node(.busy(.nothing)))
    expect(text(at: 29.5, of: &notifier), is: .deliver(push: 1, .partsGivenBack))
    notifier = Driver<ExtensionMachine>.connected()
    notifier.play(
      .node(.busy(.collecting([paymentHash("aa")]))), .node(.received(payment)), .node(.busy(.settling)))
    notifier.play(.node(.busy(.nothing)))
    expect(text(at: 29.5, of: &notifier), is: .deliver(push: 1, .received(payment)))
  }

  @Test func `The text reports waiting parts also after the extension was fenced`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.collecting([paymentHash("aa")]))))
    let end = notifier.end(.node(.fenced))
    #expect(end.contains(.deliver(push: 1, .partsWait)) && end.last == .end(.fenced))
  }

  @Test(arguments: [paymentHash("aa"), nil])
  func `The text of a push reports only its payment's parts, or without a payment hash any payment's`(
    hash: Bytes32?
  ) {
    let other = paymentHash("cc")
    func text(_ collecting: [Bytes32]...) -> GuardDirective? {
      var notifier = Driver<ExtensionMachine>.connected(hash: hash)
      for payments in collecting { notifier.play(.node(.busy(.collecting(payments)))) }
      return self.text(at: 29.5, of: &notifier)
    }
    let missed = PushOutcome.nothingReceived(.incomingPayment)
    expect(text([other]), is: .deliver(push: 1, hash == nil ? .partsWait : missed))
    expect(
      text([other], []), is: .deliver(push: 1, hash == nil ? .partsGivenBack : missed))
    expect(
      text([paymentHash("aa"), other], [other]),
      is: .deliver(push: 1, hash == nil ? .partsWait : .partsGivenBack))
    expect(
      text([paymentHash("aa")], [], [paymentHash("aa")]), is: .deliver(push: 1, .partsWait))
    expect(
      text([other], [], [paymentHash("aa")], []), is: .deliver(push: 1, .partsGivenBack))
  }

  @Test(.shows("P-1.1"))
  func `The task of an incomplete set ends after 180 s; a new connection does not restart the time`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.node(.busy(.collecting([paymentHash("aa")]))))
    let begun = app.now
    app.play(.enteredBackground, .node(.connecting), .node(.established))
    expect(app.machine.tasks.deadline, is: begun + .seconds(180))
    app.machine.tasks.endOverdue(at: begun + .seconds(180))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test func `Another process's claim ends the task of a multi-part payment`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(
      .node(.busy(.collecting([paymentHash("aa")]))), .node(.busy(.settling)),
      .rowRead(row(9, .extension), appWantsNode: true))
    #expect(app.machine.tasks.isEmpty)
  }

  @Test func `With an incomplete set the extension goes on until 5 s after a received payment`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.collecting([paymentHash("aa")]))), at: 1)
    #expect(!notifier.send(.deadlineReached, at: 20).contains(.stopNode(gracefully: true)))
    expect(notifier.play(.node(.received(payment)), at: 21), is: [])
    expect(
      notifier.release(.deadlineReached, at: 26).suffix(2),
      is: [
        .deliver(push: 1, .received(payment)), .finished(push: 1, .idle),
      ])
  }

  @Test(arguments: [1, 4])
  func `The text of a payment does not wait for the parts of another payment`(_ second: Double) {
    var notifier = Driver<ExtensionMachine>.connected()
    for event in second < 3 ? [0, 1] : [1, 0] {
      notifier.play(
        event == 0 ? .node(.busy(.collecting([paymentHash("aa")]))) : .node(.received(payment)),
        at: event == 0 ? second : 3)
    }
    #expect(!notifier.send(.deadlineReached, at: 7.999).contains(.stopNode(gracefully: true)))
    expect(notifier.send(.deadlineReached, at: 8), is: [.stopNode(gracefully: true)])
    // The set completes during the release: the text is about the first payment, and the set has its own notification.
    expect(notifier.send(.node(.received(secondPayment))), is: [.notify(secondPayment)])
    notifier.play(.node(.stopped))
    expect(
      notifier.send(.rowRead(row(8, .extension), appWantsNode: false)).suffix(2),
      is: [.deliver(push: 1, .received(payment)), .finished(push: 1, .idle)])
    // A set that completes later belongs to the next push.
    notifier.play(.pushArrived(push(2, hash: paymentHash("bb"))))
    notifier.play(.observed(observation(row(8, .extension), lockIsBusy: false)), .claimed(claim(9)))
    notifier.play(.node(.connecting), .rowRead(row(9, .extension), appWantsNode: false))
    notifier.play(.node(.established), .rowRead(row(9, .extension), appWantsNode: false))
    notifier.play(
      .node(.busy(.collecting([paymentHash("aa")]))), .node(.received(secondPayment)), .node(.busy(.nothing)),
      at: 10)
    #expect(
      notifier.release(.deadlineReached, at: 15, epoch: 9).contains(
        .deliver(push: 2, .received(secondPayment))))
  }

  @Test func `The extension hands over while parts are pending`() {
    var notifier = Driver<ExtensionMachine>.connected(epoch: 8)
    notifier.play(.node(.busy(.collecting([paymentHash("aa")]))))
    let directives = notifier.send(.rowRead(row(8, .extension), appWantsNode: true))
    #expect(directives.contains(.acceptNoNewPayment))
    #expect(directives.contains(.stopNode(gracefully: true)))
  }
}
