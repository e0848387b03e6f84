@testable import Guardrails

/// A silent push wakes the app in the background because an HTLC may be pending.
@Suite("Silent pushes") struct SilentPushTests {
  private let push = Push(id: 3, reason: .incomingPayment)
  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: false)
  private let payment = ReceivedPayment(paymentHash: paymentHash("aa"), amountMsat: 5000, text: "")

  /// Woken by the push in the background, and connected.
  private func connected() -> Driver<AppMachine> {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground)
    expect(app.send(.silentPushArrived(push)), is: [.look])
    expect(
      app.send(.observed(observation(nil, lockIsBusy: false))), is: [.claim(seen: 0, reason: .neverClaimed)])
    app.play(.claimed(claim(8)), .node(.connecting), .rowRead(row(8, .app), appWantsNode: false))
    app.play(.node(.established), .rowRead(row(8, .app), appWantsNode: false))
    return app
  }

  private func released(_ app: inout Driver<AppMachine>) -> [GuardDirective] {
    app.play(.node(.stopped))
    return app.send(owned)
  }

  @Test(.shows("B-1.5.1e", "K-18", "K-22"))
  func `The app connects, receives, releases, and only then completes the push with new data`() {
    var app = connected()
    app.play(.node(.busy(.settling)), .node(.received(payment)))
    expect(app.send(.node(.busy(.nothing))).last, is: .stopNode(gracefully: true))
    let end = released(&app)
    expect(end.last, is: .completed(push: 3, .newData))
    #expect(end.contains(.dropLock))
    expect(app.machine.place, is: .background)
    #expect(app.machine.deadline == nil)
  }

  @Test(.shows("B-1.5.2a", "B-1.5.2b", "B-1.5.2c", "B-1.5.2d", "B-1.5.2f"))
  func `The app claims, starts and stops the node, unlocks, completes the push`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground)
    var directives = app.send(.silentPushArrived(push))
    for event: GuardEvent in [
      .observed(observation(nil, lockIsBusy: false)), .claimed(claim(8)), .node(.connecting),
      .node(.established), .node(.busy(.settling)), .node(.received(payment)), .node(.busy(.nothing)),
      .node(.stopped), owned,
    ] { directives += app.send(event) }
    let order: [GuardDirective] = [
      .look, .claim(seen: 0, reason: .neverClaimed), .startNode(claim(8)), .stopNode(gracefully: true),
      .dropLock, .completed(push: 3, .newData),
    ]
    expect(directives.filter(order.contains), is: order)
  }

  @Test(.shows("B-1.5.1f"))
  func `A failure is noted and the push completed as failed, unless a payment was received`() {
    func woken() -> Driver<AppMachine> {
      var app = Driver<AppMachine>()
      app.play(.launched, .enteredBackground, .silentPushArrived(push))
      return app
    }
    var blind = woken()
    _ = blind.send(.lookFailed(.failed("it cannot be read")))
    expect(
      blind.send(.deadlineReached, at: 25).suffix(2),
      is: [.noteFailure(.container(.failed("it cannot be read"))), .completed(push: 3, .failed)])
    var silent = woken()
    expect(
      silent.send(.expiryWarned(push: 3)).suffix(2),
      is: [.noteFailure(.peerDidNotAnswer), .completed(push: 3, .failed)])
    var robbed = woken()
    expect(
      robbed.send(.containerLost("it was taken away"))
        .filter {
          if case .phone(.completed) = $0 {
            true
          } else {
            $0 == .noteFailure(.container(.lost("it was taken away")))
          }
        }, is: [.noteFailure(.container(.lost("it was taken away"))), .completed(push: 3, .failed)])
    var lucky = connected()
    lucky.play(.node(.busy(.settling)), .node(.received(payment)))
    #expect(lucky.send(.containerLost("too late")).contains(.completed(push: 3, .newData)))
  }

  @Test func `A silent push that comes during the release is completed after it, like every other`() {
    var app = connected()
    expect(app.send(.expiryWarned(push: 9)), is: [])
    #expect(app.send(.expiryWarned(push: 3)).contains(.stopNode(gracefully: true)))
    expect(app.send(.silentPushArrived(Push(id: 4, reason: .incomingPayment))), is: [])
    expect(app.send(.silentPushArrived(Push(id: 5, reason: .other))), is: [])
    let end = released(&app)
    #expect(end.suffix(3) == [3, 4, 5].map { .completed(push: $0, .noData) } && end.contains(.dropLock))
  }

  @Test func `A push about no payment is completed at once, unless an earlier push keeps the node`() {
    let other = Push(id: 5, reason: .other)
    var idle = Driver<AppMachine>()
    idle.play(.launched, .enteredBackground)
    expect(idle.send(.silentPushArrived(other)), is: [.completed(push: 5, .noData)])
    var app = connected()
    expect(app.send(.silentPushArrived(other)), is: [])
    app.play(.expiryWarned(push: 3))
    #expect(released(&app).contains(.completed(push: 5, .noData)))
  }

  /// How the push is completed once the node has stopped and the lock is released.
  private func outcome(_ app: inout Driver<AppMachine>, after event: GuardEvent) -> [GuardDirective] {
    (app.send(event) + released(&app)).filter {
      switch $0 {
      case .phone(.noteFailure), .phone(.completed): true
      default: false
      }
    }
  }

  @Test(.shows("B-1.5.1f")) func `A refusal for another container fails this push and the next`() {
    let failed = GuardDirective.noteFailure(.halted(.usedByAnotherDevice))
    var app = connected()
    expect(
      outcome(&app, after: .node(.refused(highest: 20, container: otherContainer))),
      is: [failed, .completed(push: 3, .failed)])
    expect(app.machine.place, is: .background)
    let next = Push(id: 4, reason: .incomingPayment)
    expect(app.send(.silentPushArrived(next)), is: [failed, .completed(push: 4, .failed)])
    app.play(.enteredForeground, .enteredBackground)
    #expect(app.send(.silentPushArrived(Push(id: 5, reason: .incomingPayment))).contains(.look))
  }

  @Test(.shows("B-1.5.1f")) func `An epoch that cannot be raised fails the push with the container's reason`()
  {
    var app = connected()
    app.play(.node(.refused(highest: 20, container: container)))
    expect(
      outcome(&app, after: .claimFailed(.failed("The disk is full."))),
      is: [.noteFailure(.container(.failed("The disk is full."))), .completed(push: 3, .failed)])
  }

  @Test(.shows("B-1.5.1f")) func `A termination fails the push, unless a payment was received`() {
    var app = connected()
    expect(
      outcome(&app, after: .terminationRequested),
      is: [
        .noteFailure(.askedToEnd), .completed(push: 3, .failed),
      ])
    var lucky = connected()
    lucky.play(.node(.busy(.settling)), .node(.received(payment)))
    expect(outcome(&lucky, after: .terminationRequested), is: [.completed(push: 3, .newData)])
  }

  @Test func `With less than 30 s for a silent push the app completes it before its time ends`() {
    func patience(_ time: TimeSpan?) -> TimeSpan { SilentPushHandler.totalTime(of: time) }
    expect(patience(nil), is: .seconds(25))
    expect(patience(.seconds(30)), is: .seconds(25))
    expect(patience(.seconds(300)), is: .seconds(25))
    expect(patience(.seconds(12)), is: .seconds(7))
    expect(patience(.seconds(4)), is: .seconds(2))
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground)
    app.play(.silentPushArrived(Push(id: 3, reason: .incomingPayment, time: .seconds(12))))
    expect(app.machine.deadline, is: app.now + .seconds(7))
    app.play(.silentPushArrived(Push(id: 4, reason: .incomingPayment, time: .seconds(4))))
    expect(app.machine.deadline, is: app.now + .seconds(2))
  }

  @Test(.shows("K-19")) func `An unreachable peer: the node is stopped before the lock is released`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground, .silentPushArrived(push))
    app.play(.observed(observation(nil, lockIsBusy: false)), .claimed(claim(8)), .node(.connecting))
    app.play(.node(.trouble("the peer does not answer")), .rowRead(row(8, .app), appWantsNode: false))
    let given = app.send(.deadlineReached, at: 25)
    expect(given.last, is: .stopNode(gracefully: true))
    #expect(!given.contains(.dropLock))
    expect(
      released(&app).suffix(2),
      is: [
        .noteFailure(.node("the peer does not answer")), .completed(push: 3, .failed),
      ])
    expect(app.machine.place, is: .background)
  }

  @Test(.shows("B-1.5.2e", "K-22"))
  func `Without a payment within 5 s of connecting the push completes with no data`() {
    var app = connected()
    expect(app.send(.deadlineReached, at: 4.9).contains(.stopNode(gracefully: true)), is: false)
    expect(app.send(.deadlineReached, at: 5).last, is: .stopNode(gracefully: true))
    expect(released(&app).last, is: .completed(push: 3, .noData))
  }

  @Test(arguments: [NodeActivity.settling, .collecting([paymentHash("aa")]), .splicing])
  func `A settling payment, missing parts or a splice keep a silent push open beyond 5 s, up to 25 s`(
    activity: NodeActivity
  ) {
    var app = connected()
    app.play(.node(.busy(activity)))
    #expect(!app.send(.deadlineReached, at: 24.9).contains(.stopNode(gracefully: true)))
    var idle = app
    idle.play(.node(.busy(.nothing)))
    #expect(idle.send(.deadlineReached).contains(.stopNode(gracefully: true)))
    #expect(app.send(.deadlineReached, at: 25).contains(.stopNode(gracefully: true)))
  }

  @Test func `A splice begun before the push delays the push's completion`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(
      .node(.busy(.splicing)), .taskBegan(TaskBeginning(name: "send", generation: 1)), .enteredBackground)
    app.play(.silentPushArrived(push))
    #expect(!app.send(.deadlineReached, at: 6).contains(.completed(push: 3, .noData)))
    app.play(.node(.busy(.nothing)))
    #expect(app.send(.deadlineReached).contains(.completed(push: 3, .noData)))
  }

  @Test func `After a lost connection the 5 s start anew with the next connection`() {
    var app = connected()
    app.play(
      .node(.trouble("the peer disconnected")), .node(.connecting),
      .rowRead(row(8, .app), appWantsNode: false), at: 2)
    #expect(!app.send(.deadlineReached, at: 5).contains(.stopNode(gracefully: true)))
    var lost = app
    // Another push arrives without a connection.
    lost.play(.silentPushArrived(Push(id: 4, reason: .incomingPayment)), at: 6)
    #expect(!lost.send(.deadlineReached, at: 11).contains(.stopNode(gracefully: true)))
    #expect(lost.send(.deadlineReached, at: 25).contains(.stopNode(gracefully: true)))
    expect(
      released(&lost).suffix(3),
      is: [
        .noteFailure(.node("the peer disconnected")), .completed(push: 3, .failed),
        .completed(push: 4, .failed),
      ])
    app.play(.node(.established), .rowRead(row(8, .app), appWantsNode: false), at: 7)
    #expect(!app.send(.deadlineReached, at: 11.9).contains(.stopNode(gracefully: true)))
    #expect(app.send(.deadlineReached, at: 12).contains(.stopNode(gracefully: true)))
    expect(released(&app).last, is: .completed(push: 3, .noData))
  }

  @Test func `A failure before the claim is not noted as the reason of a later failure`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground, .silentPushArrived(push))
    app.play(.lookFailed(.failed("it cannot be read")))
    app.play(.deadlineReached, at: 1)
    app.play(.observed(observation(nil, lockIsBusy: false)), .claimed(claim(8)), .node(.connecting))
    app.play(.rowRead(row(8, .app), appWantsNode: false))
    app.play(.deadlineReached, at: 25)
    expect(
      released(&app).suffix(2), is: [.noteFailure(.peerDidNotAnswer), .completed(push: 3, .failed)])
  }

  @Test(.shows("B-1.5.1d", "K-18"))
  func `An expiry warning stops the node, frees the lock, and completes the push once, in that order`() {
    var app = connected()
    app.play(.node(.busy(.settling)))
    #expect(app.send(.expiryWarned(push: 3)).last != .completed(push: 3, .noData))
    let end = released(&app)
    let order = [end.firstIndex(of: .dropLock), end.firstIndex(of: .completed(push: 3, .noData))]
    #expect(order[0] != nil && order[1] != nil && order[0]! < order[1]!)
    expect(app.send(.expiryWarned(push: 3)), is: [])
  }

  @Test func `While the extension beats, the app completes the push with no data and takes no intent lock`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredBackground, .silentPushArrived(push))
    let beating = observation(
      row(7, .extension), lockIsBusy: true, beat: beat(.extension, epoch: 7, counter: 1, at: app.now))
    let answer = app.send(.observed(beating))
    expect(answer.last, is: .completed(push: 3, .noData))
    #expect(!answer.contains(.raiseIntent))
    expect(app.machine.place, is: .background)
  }

  @Test(.shows("B-1.5.1b"))
  func `In the foreground, or if the push is unreadable, the app completes it with no data`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.silentPushArrived(push)), is: [.completed(push: 3, .noData)])
    var behind = Driver<AppMachine>()
    behind.play(.launched, .enteredBackground)
    let other = Push(id: 4, reason: .unreadable)
    expect(behind.send(.silentPushArrived(other)), is: [.completed(push: 4, .noData)])
  }

  @Test func `A payment still settling after 25 s is left to the next owner`() {
    var app = connected()
    app.play(.node(.busy(.settling)))
    #expect(!app.send(.deadlineReached, at: 24.9).contains(.stopNode(gracefully: true)))
    expect(app.send(.deadlineReached, at: 25).last, is: .stopNode(gracefully: true))
    expect(released(&app).last, is: .completed(push: 3, .noData))
  }

  @Test func `During a long-lived task each silent push completes after its own 5 s`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.taskBegan(TaskBeginning(name: "send", generation: 1)), .enteredBackground)
    expect(app.send(.silentPushArrived(push), at: 1), is: [])
    #expect(!app.send(.deadlineReached, at: 5.9).contains(.completed(push: 3, .noData)))
    #expect(app.send(.deadlineReached, at: 6).contains(.completed(push: 3, .noData)))
    expect(app.machine.place, is: .staying)
    expect(app.send(.silentPushArrived(Push(id: 4, reason: .incomingPayment)), at: 60), is: [])
    #expect(!app.send(.deadlineReached, at: 64).contains(.completed(push: 4, .noData)))
    #expect(app.send(.deadlineReached, at: 65).contains(.completed(push: 4, .noData)))
  }

  @Test func `Entering the foreground completes the push and keeps the node`() {
    var app = connected()
    let answer = app.send(.enteredForeground)
    expect(answer.first, is: .completed(push: 3, .noData))
    #expect(answer.contains(.raiseIntent))
    expect(app.machine.ownership.stage, is: .owning)
  }
}
