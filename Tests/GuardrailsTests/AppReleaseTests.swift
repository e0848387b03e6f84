import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// The app releases the node: in the background, asked to terminate, fenced, or refused by the peer.
@Suite struct AppReleaseTests {
  private func unavailable(released: Epoch?) -> GuardDirective {
    .say(PresenceMessage(code: .appUnavailable, released: released))
  }

  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: false)
  /// Precedes every release.
  private let timeAsked: [GuardDirective] = [.beginBackgroundTask(1), .backgroundDone]
  private let withdrawn: [GuardDirective] = [.withdrawIntent, .say(PresenceMessage(code: .appPing))]

  @Test
  func `P-1.2, K-20 Entering the background stops the node, beats, unlocks, then ends the background task`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.enteredBackground) == timeAsked + withdrawn + [.stopNode(gracefully: true)])
    #expect(app.send(.node(.stopped)) == [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 4), .dropLock, .settle, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    #expect(app.send(owned) == end)
    #expect(app.machine.deadline == nil)
  }

  @Test func `Entering the background during an ownership check ends the background task at once`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let done = timeAsked + withdrawn + [unavailable(released: nil), .endBackgroundTask(1)]
    #expect(app.send(.enteredBackground) == done)
    #expect(app.send(.observed(observation(nil, lockIsBusy: false))) == [])
  }

  @Test func `A claim that succeeds in the background is released without a dial`() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    #expect(app.send(.enteredBackground) == timeAsked + withdrawn)
    #expect(app.send(.claimed(claim(8))) == [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 1), .dropLock, .settle, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    #expect(app.send(owned) == end)
  }

  @Test(arguments: [
    GuardEvent.claimSuperseded, .ownLockWasBusy, .claimFailed(.blocked(pid: 1, isStopped: true)),
  ])
  func `A claim that fails in the background ends the background task`(answer: GuardEvent) {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground)
    #expect(app.send(answer) == [unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test func `Returning to the foreground during a release completes it and checks ownership again`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground)
    let intent = GuardDirective.say(PresenceMessage(code: .appPing, wantsNode: true))
    #expect(app.send(.enteredForeground) == [.endBackgroundTask(1), .raiseIntent, intent])
    #expect(app.send(.node(.stopped)) == [.readRow])
    let wanted = GuardEvent.rowRead(row(8, .app), appWantsNode: true)
    #expect(app.send(wanted) == [.beat(epoch: 8, phase: .released, counter: 4), .dropLock, .look])
  }

  @Test func `Going home and returning during a claim keeps the claim`() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground, .enteredForeground)
    #expect(app.send(.claimed(claim(8))).last == .startNode(claim(8)))
  }

  @Test func `A node that does not stop is closed after 3 s`() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, at: 1)
    #expect(app.machine.deadline == seconds(4))
    #expect(app.send(.deadlineReached, at: 3.999) == [])
    #expect(app.send(.deadlineReached, at: 4) == [.stopNode(gracefully: false), .readRow])
  }

  @Test
  func `If the claim row cannot be read at the release, the app unlocks without a beat and names no epoch`() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowReadFailed(.failed("The disk is full.")))
    #expect(end == [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test func `M-9.6 Asked to terminate, the app releases, ends, and orders nothing after its end`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.terminationRequested) == [.withdrawIntent, .stopNode(gracefully: true)])
    app.play(.node(.stopped))
    let end = app.machine.handle(owned, at: app.now)
    #expect(end.last == .end(.terminated))
    #expect(end.contains(.dropLock))
    #expect(app.send(.enteredForeground) == [])
    #expect(app.machine.deadline == nil)
  }

  @Test func `Asked to terminate in the background, the app ends at once`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    #expect(app.send(.terminationRequested) == [unavailable(released: nil), .end(.terminated)])
  }

  @Test func `The app reads the claim row again before every beat`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    #expect(app.machine.deadline == seconds(2))
    #expect(app.send(.deadlineReached, at: 1.999) == [])
    #expect(app.send(.deadlineReached, at: 2) == [.readRow])
    #expect(app.machine.deadline == nil)
    #expect(app.send(owned) == [.beat(epoch: 8, phase: .claimed, counter: 2)])
    #expect(app.machine.deadline == seconds(4))
  }

  @Test func `After a failed read of the claim row the app does not beat, and reads again`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.deadlineReached, at: 2)
    #expect(app.send(.rowReadFailed(.blocked(pid: nil, isStopped: true))) == [])
    #expect(app.machine.deadline == seconds(2.1))
    #expect(app.send(.deadlineReached, at: 2.1) == [.readRow])
  }

  @Test func `Unexpected answers and events change nothing`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    let before = app.machine
    for event: GuardEvent in [
      .rowReadFailed(.failed("x")), .lookFailed(.failed("x")), .claimFailed(.failed("x")), .claimSuperseded,
      .ownLockWasBusy, .claimed(claim(9)), owned, .observed(observation(nil, lockIsBusy: false)),
      .partnerEnded,
      .node(.stopped), .receivedFound([payment]), .launched, .deadlineReached, .expiryWarned(push: 1),
    ] {
      #expect(app.send(event) == [])
      #expect(app.machine == before, "\(event)")
    }
  }

  @Test(arguments: [row(9, .extension), nil])
  func `An app that lost its claim stops the node, unlocks, and checks ownership again`(row: ClaimRow?) {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.deadlineReached, at: 2)
    let answer = app.send(.rowRead(row, appWantsNode: true))
    #expect(answer == [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func `When its node is fenced, the app unlocks without a beat and checks ownership again`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.node(.fenced)) == [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func `An app fenced during its release unlocks and ends the background task`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowRead(row(9, .extension), appWantsNode: false))
    #expect(end == [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }
}
