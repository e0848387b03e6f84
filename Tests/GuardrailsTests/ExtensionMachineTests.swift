@testable import Guardrails

/// The extension's pushes, one after the other, and its answer to the app's intent.
@Suite struct ExtensionMachineTests {
  private let unavailable = GuardDirective.say(PresenceMessage(code: .extensionUnavailable))
  private let intent = GuardEvent.presenceHeard(PresenceMessage(code: .appPong, wantsNode: true))
  private let request = GuardEvent.presenceHeard(
    PresenceMessage(code: .appPong, wantsNode: true, asksForHandover: true))

  private func owned(appWants: Bool = false) -> GuardEvent {
    .rowRead(row(8, .extension), appWantsNode: appWants)
  }

  private func delivered(_ directives: [GuardDirective]) -> [UInt64] {
    directives.compactMap { if case .phone(.deliver(let push, _)) = $0 { push } else { nil } }
  }

  private func texts(_ directives: [GuardDirective]) -> [GuardDirective] {
    directives.filter {
      switch $0 {
      case .phone(.deliver), .wallet(.notify), .wallet(.withdraw): true
      default: false
      }
    }
  }

  @Test func `On a push the extension pings the app, reads received payments and checks ownership`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched)
    let ping = GuardDirective.say(PresenceMessage(code: .extensionPing, wantsNode: true))
    expect(notifier.send(.pushArrived(push(1))), is: [ping, question, .look])
  }

  @Test func `The extension claims a free node at once`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let answer = notifier.send(.observed(observation(row(7, .extension), lockIsBusy: false)))
    expect(answer, is: [.claim(seen: 7, reason: .holderDied)])
  }

  @Test func `An extension that waits for another extension names its process`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let beating = beat(.extension, epoch: 7, counter: 1)
    notifier.play(.observed(observation(row(7, .extension), lockIsBusy: true, beat: beating)))
    expect(notifier.shown.last, is: .waitingForOther(pid: process(.extension).pid))
  }

  @Test func `An app that does not want the node does not make the extension release it`() {
    var notifier = Driver<ExtensionMachine>.claimed()
    let pong = GuardDirective.say(PresenceMessage(code: .extensionPong, wantsNode: true))
    expect(notifier.send(.presenceHeard(PresenceMessage(code: .appPing))), is: [pong])
    expect(notifier.send(.presenceHeard(PresenceMessage(code: .appPong))), is: [])
  }

  @Test func `The extension ignores messages of its own role`() {
    var notifier = Driver<ExtensionMachine>.looking()
    notifier.play(.observed(observation(row(7, .app), lockIsBusy: true)))
    expect(notifier.send(.presenceHeard(PresenceMessage(code: .extensionPing, wantsNode: true))), is: [])
  }

  @Test func `Between pushes the extension does not answer the app`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched)
    expect(notifier.send(.presenceHeard(PresenceMessage(code: .appPing, wantsNode: true))), is: [])
  }

  @Test func `While the app holds the node, the text comes from the database`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let busy = observation(row(7, .app), lockIsBusy: true, beat: beat(.app, epoch: 7, counter: 1))
    expect(notifier.send(.observed(busy)), is: [question])
    expect(notifier.send(.receivedFound([])), is: [])
    let end: [GuardDirective] = [
      unavailable, .withdraw(payment: paymentHash("aa")), .deliver(push: 1, .received(payment)),
      .finished(push: 1, .received),
    ]
    expect(notifier.send(.receivedFound([payment])), is: end)
  }

  /// The app received and pressed home between two looks: the database is asked once more before the claim.
  @Test func `A payment the app received between two ownership checks is reported as received`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let gone = observation(row(7, .app), lockIsBusy: false)
    let answer = notifier.send(.observed(gone))
    expect(answer, is: [question, .claim(seen: 7, reason: .holderDied)])
    expect(notifier.send(.receivedFound([payment])), is: [], "the claim is under way")
    expect(notifier.send(.claimed(claim(8))), is: [.readRow])
    let end = notifier.send(owned())
    expect(delivered(end), is: [1])
    expect(end.last, is: .finished(push: 1, .received))
  }

  /// When one extension run receives the payments of three pushes, the later two need no connection.
  @Test func `A payment received for an earlier push is reported without a dial`() {
    var notifier = Driver<ExtensionMachine>()
    notifier.play(.launched, .pushArrived(push(1)))
    let end = notifier.send(.receivedFound([payment]))
    expect(delivered(end), is: [1])
    expect(end.last, is: .finished(push: 1, .received))
    expect(notifier.send(.observed(observation(row(7, .extension), lockIsBusy: false))), is: [])
  }

  /// The previous owner accepted the HTLC and ended before the peer had the preimage: not received yet.
  @Test func `A pending payment is settled first and reported then`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.settling)), owned())
    #expect(notifier.send(.node(.busy(.nothing)), at: 2).contains(question))
    notifier.play(owned(), at: 2)
    expect(notifier.send(.receivedFound([payment]), at: 2), is: [])
    expect(delivered(notifier.send(.deadlineReached, at: 6.9)), is: [])
    let end = notifier.release(.deadlineReached, at: 7)
    expect(texts(end), is: [.withdraw(payment: paymentHash("aa")), .deliver(push: 1, .received(payment))])
  }

  /// The second payment was the first received, so it would have been the text.
  @Test func `A payment displaced from the text by the push's own payment gets a notification at once`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.settling)), owned())
    expect(notifier.send(.node(.received(secondPayment)), at: 1), is: [])
    notifier.play(.node(.busy(.nothing)), owned(), at: 2)
    expect(notifier.send(.receivedFound([payment]), at: 2), is: [.notify(secondPayment)])
    let end = notifier.release(.deadlineReached, at: 7)
    expect(texts(end), is: [.withdraw(payment: paymentHash("aa")), .deliver(push: 1, .received(payment))])
  }

  @Test func `A payment reported by the node is not read again`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.settling)), owned(), .node(.received(payment)))
    #expect(!notifier.send(.node(.busy(.nothing))).contains(question))
  }

  @Test(arguments: [false, true])
  func `Before it is connected, the extension releases the node to an app that wants it`(bySignal: Bool) {
    var notifier = Driver<ExtensionMachine>.claimed(epoch: 8)
    if !bySignal { notifier.play(.node(.connecting)) }
    let answer = notifier.send(bySignal ? intent : owned(appWants: true))
    expect(
      answer.filter { if case .container(.beat) = $0 { false } else { true } },
      is: [
        .stopNode(gracefully: true)
      ])
    expect(notifier.send(.node(.stopped)), is: [.readRow])
    let released = GuardDirective.say(PresenceMessage(code: .extensionPing, wantsNode: true, released: 8))
    let end = notifier.send(owned(appWants: true))
    expect(end.suffix(3), is: [.dropLock, released, .look])
  }

  private func steppedBack() -> Driver<ExtensionMachine> {
    var notifier = Driver<ExtensionMachine>.claimed(epoch: 8)
    notifier.play(intent, .node(.stopped), owned(appWants: true), at: 1)
    notifier.play(.observed(observation(row(8, .extension), lockIsBusy: false, appWantsNode: true)))
    return notifier
  }

  @Test func `After releasing the node to the app, the extension finishes when the app has claimed`() {
    var notifier = steppedBack()
    expect(notifier.send(.deadlineReached, at: 1.25), is: [.look])
    let end = notifier.send(.observed(observation(row(9, .app), lockIsBusy: true, appWantsNode: true)))
    expect(delivered(end), is: [1])
    expect(end.last, is: .finished(push: 1, .appWantsNode))
  }

  @Test
  func
    `If the app dies between the extension's release and its own claim, the extension receives the payment`()
  {
    var notifier = steppedBack()
    expect(notifier.send(.partnerEnded, at: 1.1), is: [.look])
    let free = observation(row(8, .extension), lockIsBusy: false)
    expect(notifier.send(.observed(free)), is: [.claim(seen: 8, reason: .holderDied)])
    expect(notifier.send(.claimed(claim(9))).last, is: .startNode(claim(9)))
    notifier.play(.node(.established), .rowRead(row(9, .extension), appWantsNode: false))
    notifier.play(.node(.received(payment)), at: 2)
    expect(delivered(notifier.release(.deadlineReached, at: 7, epoch: 9)), is: [1])
  }

  /// A hung app keeps its intent lock: releasing to it a second time would lose the payment.
  @Test func `The intent lock of a hung app does not make the extension release the node twice`() {
    var notifier = steppedBack()
    let intentRaised = GuardEvent.observed(
      observation(row(8, .extension), lockIsBusy: false, appWantsNode: true))
    notifier.play(.deadlineReached, at: 3)
    expect(notifier.send(intentRaised), is: [.claim(seen: 8, reason: .holderDied)])
    notifier.play(.claimed(claim(9)), .node(.established))
    let intentStillRaised = GuardEvent.rowRead(row(9, .extension), appWantsNode: true)
    expect(notifier.send(intentStillRaised), is: [.beat(epoch: 9, phase: .established, counter: 2)])
    #expect(notifier.send(request).contains(.acceptNoNewPayment), "a message proves that the app runs")
  }

  @Test func `The intent lock of a frozen app does not make the extension release the node`() {
    var notifier = Driver<ExtensionMachine>.looking()
    let frozen = GuardEvent.observed(observation(row(7, .app), lockIsBusy: true, appWantsNode: true))
    for quarter in 0...20 { notifier.play(.deadlineReached, frozen, at: Double(quarter) / 4) }
    expect(notifier.send(.claimed(claim(8))).last, is: .startNode(claim(8)))
    notifier.play(.node(.connecting))
    expect(notifier.send(owned(appWants: true)), is: [.beat(epoch: 8, phase: .connecting, counter: 2)])
  }

  @Test func `Without a settling payment a connected extension hands over at once`() {
    var notifier = Driver<ExtensionMachine>.connected()
    expect(notifier.send(request), is: [.acceptNoNewPayment, .stopNode(gracefully: true)])
  }

  @Test(arguments: [false, true])
  func `SQLite's log is checkpointed after a release, unless the app wants the node and claims it now`(
    appWants: Bool
  ) {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(request, .node(.stopped))
    expect(notifier.send(owned(appWants: appWants)).contains(.settle), is: !appWants)
  }

  @Test func `A connected extension hands over when its settling payment is settled`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.settling)), owned())
    expect(notifier.send(request), is: [.acceptNoNewPayment])
    expect(notifier.send(request), is: [], "a repeated request changes nothing")
    notifier.play(.node(.received(payment)))
    expect(notifier.send(.node(.busy(.nothing))).last, is: .stopNode(gracefully: true))
    notifier.play(.node(.stopped))
    expect(
      notifier.send(owned()).suffix(2),
      is: [
        .deliver(push: 1, .received(payment)), .finished(push: 1, .handedOver),
      ])
  }

  @Test func `A busy intent lock, read with the claim row, counts as a handover request`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.deadlineReached, at: 2)
    let answer = notifier.release(owned(appWants: true))
    expect(answer.first, is: .acceptNoNewPayment)
    expect(delivered(answer), is: [1])
  }

  @Test func `A connection lost during a handover ends the wait for settlement`() {
    var notifier = Driver<ExtensionMachine>.connected()
    notifier.play(.node(.busy(.settling)), owned(), request)
    expect(delivered(notifier.release(.node(.connecting))), is: [1])
  }

  // MARK: One push after the other

  @Test func `A push that arrives during another is served after it`() {
    var notifier = Driver<ExtensionMachine>.looking()
    expect(notifier.send(.pushArrived(push(2))), is: [])
    let end = notifier.end(.expiryWarned(push: 1))
    let ping = GuardDirective.say(PresenceMessage(code: .extensionPing, wantsNode: true))
    expect(
      end.suffix(4),
      is: [
        .finished(push: 1, .timeWillExpire), ping,
        .readReceived(paymentHash: paymentHash("aa"), push: 2), .look,
      ])
  }

  @Test func `Queued unreadable pushes all get a text and are finished`() {
    var notifier = Driver<ExtensionMachine>.looking()
    for id: UInt64 in 2...4 { notifier.play(.pushArrived(push(id, .unreadable))) }
    let end = notifier.end(.expiryWarned(push: 1))
    let finished = end.compactMap { if case .phone(.finished(let push, _)) = $0 { push } else { nil } }
    expect(finished, is: [1, 2, 3, 4])
    expect(delivered(end), is: [1, 2, 3, 4])
  }

  @Test func `A push that arrives twice is served once`() {
    var notifier = Driver<ExtensionMachine>.looking()
    notifier.play(.pushArrived(push(2)), .pushArrived(push(1)), .pushArrived(push(2)))
    var ids = delivered(notifier.end(.expiryWarned(push: 1)))
    ids += delivered(notifier.end(.expiryWarned(push: 2), [2]))
    expect(ids, is: [1, 2])
    expect(notifier.machine.state, is: .waiting)
  }

  @Test func `The time of a push runs from its arrival, not from its turn`() {
    var notifier = Driver<ExtensionMachine>.looking()
    notifier.play(.pushArrived(push(2)), at: 10)
    expect(delivered(notifier.end(.expiryWarned(push: 1), at: 20)), is: [1])
    expect(delivered(notifier.end(.deadlineReached, at: 39.499, [2])), is: [])
    expect(delivered(notifier.end(.deadlineReached, at: 39.5, [2])), is: [2])
  }

  @Test func `An expiry warning finishes a push that is still queued`() {
    var notifier = Driver<ExtensionMachine>.looking()
    notifier.play(.pushArrived(push(2)))
    let end = notifier.end(.expiryWarned(push: 2), [2])
    expect(delivered(end), is: [2])
    expect(end.last, is: .finished(push: 2, .timeWillExpire))
  }

  @Test func `A termination delivers the texts of all queued pushes`() {
    var notifier = Driver<ExtensionMachine>.looking()
    notifier.play(.pushArrived(push(2)), .pushArrived(push(3)))
    let end = notifier.end(.terminationRequested, [1, 2, 3])
    expect(delivered(end), is: [1, 2, 3])
    expect(end.last, is: .end(.terminated))
  }

  @Test func `A push beyond the queue's limit gets its text and is finished at once`() {
    var notifier = Driver<ExtensionMachine>.looking()
    for id in 2...UInt64(PushQueue.limit + 1) { notifier.play(.pushArrived(push(id))) }
    let end = notifier.end(.pushArrived(push(999)), [999])
    expect(delivered(end), is: [999])
    expect(end.count, is: 2)
  }
}
