@testable import Guardrails

/// The LSP knows a higher epoch: a database was restored, or another device uses this node.
@Suite struct RefusalTests {
  private let raising: [GuardDirective] = [.stopNode(gracefully: false), .raiseEpoch(claim(8), above: 20)]
  private let refusal = GuardEvent.node(.refused(highest: 20, container: container))

  private func raisingApp() -> Driver<AppMachine> {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(refusal)
    return app
  }

  @Test func `A refusal with a higher epoch makes the app raise its epoch above that one`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    expect(app.send(refusal), is: raising)
    let beatAndDial: [GuardDirective] = [
      .beat(epoch: 21, phase: .claimed, counter: 2), .startNode(claim(21)),
    ]
    expect(app.send(.claimed(claim(21))), is: beatAndDial)
  }

  @Test func `A refusal with an equal epoch makes the app raise its epoch`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    let equal = GuardEvent.node(.refused(highest: 8, container: container))
    expect(app.send(equal), is: [.stopNode(gracefully: false), .raiseEpoch(claim(8), above: 8)])
  }

  @Test func `The same refusal twice raises the epoch once`() {
    var app = raisingApp()
    expect(app.send(refusal), is: [])
  }

  @Test func `The epoch is raised by at most 2^32`() {
    let limit: Epoch = 1 << 32
    var near = Driver<AppMachine>.claimed(epoch: 8)
    let farthest = GuardEvent.node(.refused(highest: 8 + limit - 1, container: container))
    expect(near.send(farthest).last, is: .raiseEpoch(claim(8), above: 8 + limit - 1))
    for highest in [8 + limit, Epoch.max] {
      var far = Driver<AppMachine>.claimed(epoch: 8)
      let answer = far.send(.node(.refused(highest: highest, container: container)))
      expect(answer, is: [.withdrawIntent, .stopNode(gracefully: true)])
    }
  }

  @Test func `A refusal with a lower epoch releases the node without a redial`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.node(.refused(highest: 7, container: container)), .node(.stopped))
    let end = app.send(.rowRead(row(8, .app), appWantsNode: false))
    expect(end, is: [.beat(epoch: 8, phase: .released, counter: 2), .dropLock, .settle])
    #expect(app.machine.deadline == nil)
  }

  @Test func `A refusal for another container ends the app's dials until the user opens the app again`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    let stopped = app.send(.node(.refused(highest: 20, container: otherContainer)))
    expect(stopped, is: [.withdrawIntent, .stopNode(gracefully: true)])
    app.play(.node(.stopped), .rowRead(row(8, .app), appWantsNode: false))
    expect(app.shown.last, is: .usedByAnotherDevice)
    #expect(app.machine.deadline == nil)
    app.play(.enteredBackground)
    expect(app.send(.enteredForeground).last, is: .look)
  }

  @Test
  func `An app whose claim is superseded during a raise of the epoch unlocks and checks ownership again`() {
    var app = raisingApp()
    expect(app.send(.claimSuperseded), is: [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test(arguments: [GuardEvent.ownLockWasBusy, .claimFailed(.blocked(pid: 5, isStopped: true))])
  func `After a failed raise of the epoch the app begins to release the node`(answer: GuardEvent) {
    var app = raisingApp()
    expect(app.send(answer), is: [.readRow])
  }

  @Test(arguments: [
    (Trouble.failed("The disk is full."), Status.trouble("The disk is full."), TimeSpan.seconds(1)),
    (
      .blocked(pid: 5, isStopped: true), .blocked(pid: 5, isStopped: true),
      TimeSpan.milliseconds(100)
    ),
  ])
  func
    `After a failed raise the app shows the reason, and checks ownership after 1 s, if blocked after 100 ms`(
      trouble: Trouble, status: Status, pause: TimeSpan
    )
  {
    var app = raisingApp()
    app.play(.claimFailed(trouble))
    let failedAt = app.now
    let released = app.send(.rowRead(row(8, .app), appWantsNode: false))
    #expect(released.contains(.dropLock) && !released.contains(.look))
    expect(app.shown.last, is: status)
    expect(app.machine.deadline, is: failedAt + pause)
    expect(app.send(.deadlineReached, at: Double((failedAt + pause).nanoseconds) / 1e9).first, is: .look)
  }

  /// The raise is pending when the user presses home, so the new epoch is released.
  @Test func `Going home during a raise of the epoch releases the node under the new epoch`() {
    var app = raisingApp()
    #expect(!app.send(.enteredBackground).contains(.readRow))
    expect(app.send(.rowRead(row(8, .app), appWantsNode: false)), is: [], "an answer from before the raise")
    expect(app.send(.claimed(claim(21))), is: [.readRow])
    let end = app.send(.rowRead(row(21, .app), appWantsNode: false))
    let released = GuardDirective.say(PresenceMessage(code: .appUnavailable, released: 21))
    expect(
      end,
      is: [
        .beat(epoch: 21, phase: .released, counter: 2), .dropLock, .settle, released, .endBackgroundTask(1),
      ])
  }

  @Test func `An extension refused for another container stops its node, and its text says so`() {
    var notifier = Driver<ExtensionMachine>.claimed(epoch: 8)
    let answer = notifier.release(.node(.refused(highest: 20, container: otherContainer)))
    expect(answer.first, is: .stopNode(gracefully: true))
    expect(
      answer.suffix(2), is: [.deliver(push: 1, .usedByAnotherDevice), .finished(push: 1, .otherDevice)])
  }

  /// After a long pause another process may hold the claim: the row is read before the dial.
  @Test func `If a claim took a minute, the app reads the claim row before it dials`() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    expect(app.send(.claimed(claim(8)), at: 60), is: [.readRow])
    var zombie = app
    let dial: [GuardDirective] = [.beat(epoch: 8, phase: .claimed, counter: 1), .startNode(claim(8))]
    expect(app.send(.rowRead(row(8, .app), appWantsNode: true)), is: dial)
    #expect(!zombie.send(.rowRead(row(9, .extension), appWantsNode: true)).contains(.startNode(claim(8))))
  }
}
