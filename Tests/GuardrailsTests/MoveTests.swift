@testable import Guardrails

/// The user moves the wallet into this container while the LSP knows another container's claim.
@Suite struct MoveTests {
  private let replaced = ReplacedClaim(epoch: 20, container: otherContainer)
  private let refusal = GuardEvent.node(.refused(highest: 20, container: otherContainer))

  /// Refused for another container, and idle.
  private func halted() -> Driver<AppMachine> {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(refusal, .node(.stopped), .rowRead(row(8, .app), appWantsNode: false))
    return app
  }

  /// The user requested the move, and the app has claimed again.
  private func movingApp() -> Driver<AppMachine> {
    var app = halted()
    app.play(
      .moveRequested, .observed(observation(row(8, .app), lockIsBusy: false, appWantsNode: true)),
      .claimed(claim(9)))
    return app
  }

  @Test
  func
    `After a move request an app that the peer refused claims again and replaces the other container's claim`()
  {
    var app = halted()
    expect(app.send(.moveRequested), is: [.raiseIntent, .say(ping), .look])
    app.play(.observed(observation(row(8, .app), lockIsBusy: false, appWantsNode: true)), .claimed(claim(9)))
    expect(
      app.send(refusal),
      is: [
        .stopNode(gracefully: false), .raiseEpoch(claim(9), above: 20, replacing: replaced),
      ])
    let dial: [GuardDirective] = [
      .beat(epoch: 21, phase: .claimed, counter: 2), .startNode(claim(21), replacing: replaced),
    ]
    expect(app.send(.claimed(claim(21))), is: dial)
  }

  private var ping: PresenceMessage { PresenceMessage(code: .appPing, wantsNode: true) }

  @Test func `A move raises this container's epoch even if it is already above the other container's`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.moveRequested)
    let lower = GuardEvent.node(.refused(highest: 3, container: otherContainer))
    let replaced = ReplacedClaim(epoch: 3, container: otherContainer)
    expect(
      app.send(lower),
      is: [.stopNode(gracefully: false), .raiseEpoch(claim(8), above: 8, replacing: replaced)])
  }

  @Test func `A move request replaces a claim only once`() {
    var app = movingApp()
    app.play(refusal, .claimed(claim(21)))
    expect(
      app.send(.node(.refused(highest: 30, container: otherContainer))),
      is: [.withdrawIntent, .stopNode(gracefully: true)])
    app.play(.node(.stopped), .rowRead(row(21, .app), appWantsNode: false))
    expect(app.shown.last, is: .usedByAnotherDevice)
  }

  @Test func `A move request survives a blocked raise of the epoch, not a failed one`() {
    for (trouble, isAnswered) in [
      (Trouble.blocked(pid: 5, isStopped: false), true), (.failed("The disk is full."), false),
    ] {
      var app = movingApp()
      app.play(
        refusal, .claimFailed(trouble), .rowRead(row(9, .app), appWantsNode: true), at: 1)
      app.play(
        .deadlineReached, .observed(observation(row(9, .app), lockIsBusy: false, appWantsNode: true)),
        .claimed(claim(10)), at: 3)
      let moves = app.send(refusal).last == .raiseEpoch(claim(10), above: 20, replacing: replaced)
      expect(moves, is: isAnswered)
    }
  }

  @Test func `A second move request clears the first one's failure and checks ownership at once`() {
    var app = movingApp()
    app.play(refusal, .claimFailed(.failed("The disk is full.")), .rowRead(row(9, .app), appWantsNode: true))
    expect(app.shown.last, is: .trouble("The disk is full."))
    #expect(app.send(.moveRequested).contains(.look))
    expect(app.shown.last, is: .claiming)
    expect(app.send(.moveRequested), is: [])
  }

  @Test func `A move request ends when the app is connected or enters the background`() {
    var connected = movingApp()
    connected.play(.node(.established))
    #expect(connected.machine.ownership.movesHereUntil == nil)
    var left = movingApp()
    left.play(.enteredBackground)
    #expect(left.machine.ownership.movesHereUntil == nil)
  }

  @Test func `A move request expires after 10 s`() {
    var app = movingApp()
    app.now = app.now + .seconds(10)
    expect(app.send(refusal), is: [.withdrawIntent, .stopNode(gracefully: true)])
    var inTime = movingApp()
    inTime.now = inTime.now + .milliseconds(9999)
    expect(inTime.send(refusal).last, is: .raiseEpoch(claim(9), above: 20, replacing: replaced))
  }

  @Test func `A move request in the background is ignored`() {
    var app = halted()
    app.play(.enteredBackground)
    expect(app.send(.moveRequested), is: [])
    #expect(app.machine.ownership.movesHereUntil == nil)
  }

  @Test func `A move that must raise the epoch by more than 2^32 releases the node`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.moveRequested)
    let far = GuardEvent.node(.refused(highest: 8 + 1 << 32, container: otherContainer))
    expect(app.send(far), is: [.withdrawIntent, .stopNode(gracefully: true)])
  }

  @Test func `The extension ignores a move request`() {
    var notifier = Driver<ExtensionMachine>.claimed(epoch: 8)
    notifier.play(.moveRequested)
    expect(notifier.send(refusal).last, is: .stopNode(gracefully: true))
  }
}
