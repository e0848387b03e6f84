import Ground
import Heartbeat
import Testing

@testable import Guardrails

/// The app gives the node up: pressed home, asked to end, fenced, or refused by the peer.
@Suite struct AppReleaseTests {
  private func unavailable(released: Epoch?) -> GuardDirective {
    .say(PresenceMessage(code: .appUnavailable, released: released))
  }

  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: true)
  /// Before anything is let go of.
  private let timeAsked: [GuardDirective] = [.beginBackgroundTask(1), .backgroundDone]
  private let withdrawn: [GuardDirective] = [.withdrawIntent, .say(PresenceMessage(code: .appPing))]

  @Test(
    "P-1.2, K-20 Home releases in order: the node, the last beat, the lock, and only then the phone's time")
  func pressingHomeReleasesInOrder() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.enteredBackground) == timeAsked + withdrawn + [.stopNode(gracefully: true)])
    #expect(app.send(.node(.stopped)) == [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 4), .dropLock, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    #expect(app.send(owned) == end)
    #expect(app.machine.deadline == nil)
  }

  @Test func pressingHomeWhileLookingIsDoneAtOnce() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let done = timeAsked + withdrawn + [unavailable(released: nil), .endBackgroundTask(1)]
    #expect(app.send(.enteredBackground) == done)
    #expect(app.send(.observed(observation(nil, lockIsBusy: false))) == [])
  }

  @Test func aClaimThatSucceedsWhenNobodyWantsItAnyMoreIsReleasedUndialled() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    #expect(app.send(.enteredBackground) == timeAsked + withdrawn)
    #expect(app.send(.claimed(claim(8))) == [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 1), .dropLock, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    #expect(app.send(owned) == end)
  }

  @Test(arguments: [
    GuardEvent.claimSuperseded, .ownLockWasBusy, .claimFailed(.blocked(pid: 1, isStopped: true)),
  ])
  func aClaimThatFailsWhenNobodyWantsItAnyMoreIsDone(answer: GuardEvent) {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground)
    #expect(app.send(answer) == [unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test func homeAndBackDuringAReleaseLooksAfreshAndIsNotDone() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground)
    let intent = GuardDirective.say(PresenceMessage(code: .appPing, wantsNode: true))
    #expect(app.send(.enteredForeground) == [.endBackgroundTask(1), .raiseIntent, intent])
    #expect(app.send(.node(.stopped)) == [.readRow])
    #expect(app.send(owned) == [.beat(epoch: 8, phase: .released, counter: 4), .dropLock, .look])
  }

  @Test func homeAndBackDuringAClaimKeepsTheClaim() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground, .enteredForeground)
    #expect(app.send(.claimed(claim(8))).last == .startNode(claim(8)))
  }

  @Test func aNodeThatHangsIsClosedAfterThreeSeconds() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, at: 1)
    #expect(app.machine.deadline == seconds(4))
    #expect(app.send(.deadlineReached, at: 3.999) == [])
    #expect(app.send(.deadlineReached, at: 4) == [.stopNode(gracefully: false), .readRow])
  }

  @Test func aRowThatCannotBeReadAtTheEndCostsOnlyTheLastBeat() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowReadFailed(.failed("The disk is full.")))
    #expect(end == [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test func askedToTerminateItReleasesAndEndsWithNothingAfterTheEnd() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.terminationRequested) == [.withdrawIntent, .stopNode(gracefully: true)])
    app.play(.node(.stopped))
    let end = app.machine.handle(owned, at: app.now)
    #expect(end.last == .end(.terminated))
    #expect(end.contains(.dropLock))
    #expect(app.send(.enteredForeground) == [])
    #expect(app.machine.deadline == nil)
  }

  @Test func askedToTerminateInTheBackgroundItEndsAtOnce() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    #expect(app.send(.terminationRequested) == [unavailable(released: nil), .end(.terminated)])
  }

  @Test func everyBeatRereadsTheRow() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    #expect(app.machine.deadline == seconds(2))
    #expect(app.send(.deadlineReached, at: 1.999) == [])
    #expect(app.send(.deadlineReached, at: 2) == [.readRow])
    #expect(app.machine.deadline == nil)
    #expect(app.send(owned) == [.beat(epoch: 8, phase: .claimed, counter: 2)])
    #expect(app.machine.deadline == seconds(4))
  }

  @Test func withoutAnAnswerThereIsNoBeat() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.deadlineReached, at: 2)
    #expect(app.send(.rowReadFailed(.blocked(pid: nil, isStopped: true))) == [])
    #expect(app.machine.deadline == seconds(2.1))
    #expect(app.send(.deadlineReached, at: 2.1) == [.readRow])
  }

  @Test func aFailureThatNobodyAskedForChangesNothing() {
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

  @Test(arguments: [row(9, .extension), nil]) func aZombieClosesUnlocksAndLooksBeforeItDials(row: ClaimRow?) {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.deadlineReached, at: 2)
    let answer = app.send(.rowRead(row, appWantsNode: true))
    #expect(answer == [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func aNodeThatFindsItselfFencedEndsTheOwnershipWithoutABeat() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    #expect(app.send(.node(.fenced)) == [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func fencedWhileReleasingItIsStillDone() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowRead(row(9, .extension), appWantsNode: false))
    #expect(end == [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }
}
