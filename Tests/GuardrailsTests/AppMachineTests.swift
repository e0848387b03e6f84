@testable import Guardrails

/// How the app gets the node: intent, look, claim, own.
@Suite struct AppMachineTests {
  private func say(
    _ code: PresenceCode, wants: Bool = false, asks: Bool = false, released: Epoch? = nil
  ) -> GuardDirective {
    .say(PresenceMessage(code: code, wantsNode: wants, asksForHandover: asks, released: released))
  }

  @Test func `Launched in the background, the app pings without wanting the node`() {
    var app = Driver<AppMachine>()
    expect(app.send(.launched), is: [say(.appPing)])
    #expect(app.machine.deadline == nil)
    expect(app.shown, is: [.idle])
  }

  @Test
  func `Entering the foreground, the app takes the intent lock, announces its intent and checks ownership`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    expect(app.send(.enteredForeground), is: [.raiseIntent, say(.appPing, wants: true), .look])
  }

  @Test func `Entering the foreground without a launch event, the app takes the intent lock, once`() {
    var app = Driver<AppMachine>()
    expect(app.send(.enteredForeground), is: [.raiseIntent, say(.appPing, wants: true), .look])
    expect(app.send(.enteredForeground), is: [])
  }

  @Test func `The app claims a free node at once and beats before it dials`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let free = observation(row(7, .extension), lockIsBusy: false)
    expect(app.send(.observed(free)), is: [.claim(seen: 7, reason: .holderDied)])
    let started: [GuardDirective] = [.beat(epoch: 8, phase: .claimed, counter: 1), .startNode(claim(8))]
    expect(app.send(.claimed(claim(8))), is: started)
  }

  @Test func `The app asks a beating extension for a handover and shows that it waits`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let busy = observation(row(7, .extension), lockIsBusy: true, beat: beat(.extension, epoch: 7, counter: 1))
    expect(app.send(.observed(busy), at: 0), is: [say(.appPing, wants: true, asks: true)])
    expect(app.shown.last, is: .waitingForExtension)
    expect(app.machine.deadline, is: seconds(0.25))
  }

  @Test func `The app repeats its handover request once a second`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    var asked: [Double] = []
    for quarter in 0...12 {
      let second = Double(quarter) / 4
      let busy = observation(
        row(7, .extension), lockIsBusy: true, beat: beat(.extension, epoch: 7, counter: UInt64(quarter / 8)))
      for event in [GuardEvent.deadlineReached, .observed(busy)]
      where app.send(event, at: second).contains(say(.appPing, wants: true, asks: true)) {
        asked.append(second)
      }
    }
    expect(asked, is: [0, 1, 2, 3])
    expect(app.machine.deadline, is: seconds(3.25))
  }

  @Test func `The app takes over from a frozen extension after 5 s without a beat`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let silent = GuardEvent.observed(
      observation(row(7, .extension), lockIsBusy: true, beat: beat(.extension, epoch: 7, counter: 1)))
    for quarter in 0..<20 { app.play(.deadlineReached, silent, at: Double(quarter) / 4) }
    app.play(.deadlineReached, at: 5)
    expect(app.send(silent), is: [.claim(seen: 7, reason: .holderStale)])
  }

  /// With short beats the looks must come faster than the beats, or each look counts as a pause.
  @Test(arguments: [(10, 20), (10, 5000), (100, 200), (2000, 5000)])
  func `The app takes over from a frozen extension with beat intervals from 10 ms to 2 s`(
    interval: Int64, staleAfter: Int64
  ) throws {
    let timing = try HeartbeatTiming(interval: .milliseconds(interval), staleAfter: .milliseconds(staleAfter))
    var app = Driver<AppMachine>(GuardConfiguration(timing: timing))
    app.play(.launched, .enteredForeground)
    let silent = GuardEvent.observed(observation(row(7, .extension), lockIsBusy: true))
    var answer = app.send(silent)
    while !answer.contains(.claim(seen: 7, reason: .holderStale)) {
      let next = try #require(app.machine.deadline)
      // Every real timer is a little late.
      app.now = next + .milliseconds(1)
      guard app.now < seconds(Double(staleAfter) / 500) else {
        Issue.record("a frozen holder was not found stale in twice staleAfter")
        return
      }
      if app.send(.deadlineReached).contains(.look) { answer = app.send(silent) }
    }
    #expect(app.now >= seconds(Double(staleAfter) / 1000))
  }

  @Test func `While its claim is blocked, the app shows the blocking process once and retries every 100 ms`()
  {
    var app = Driver<AppMachine>.claiming()
    let free = GuardEvent.observed(observation(row(7, .extension), lockIsBusy: false))
    let blocked = GuardEvent.claimFailed(.blocked(pid: 4242, isStopped: true))
    expect(app.send(blocked, at: 0), is: [])
    expect(app.shown.last, is: .blocked(pid: 4242, isStopped: true))
    let shownBefore = app.shown.count
    for tenth in 1...10 {
      expect(app.machine.deadline, is: seconds(Double(tenth) / 10))
      expect(app.send(.deadlineReached, at: Double(tenth) / 10), is: [.look])
      expect(app.send(free), is: [.claim(seen: 7, reason: .holderDied)])
      expect(app.send(blocked), is: [])
    }
    expect(app.shown.count, is: shownBefore, "the text must not flicker with every try")
  }

  @Test func `The app shows that an ownership check is blocked, and retries after 100 ms`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    expect(app.send(.lookFailed(.blocked(pid: nil, isStopped: false))), is: [])
    expect(app.shown.last, is: .blocked(pid: nil, isStopped: false))
    expect(app.machine.deadline, is: seconds(0.1))
  }

  @Test func `A superseded claim is followed by an ownership check`() {
    var app = Driver<AppMachine>.claiming()
    expect(app.send(.claimSuperseded), is: [.look])
  }

  @Test func `If its own role's lock is busy, the app retries its claim after 10 ms`() {
    var app = Driver<AppMachine>.claiming()
    expect(app.send(.ownLockWasBusy, at: 0), is: [])
    expect(app.machine.deadline, is: seconds(0.01))
  }

  @Test func `If its own role's lock stays busy, the app's retries slow down to one every 250 ms`() {
    var app = Driver<AppMachine>.claiming()
    let free = GuardEvent.observed(observation(row(7, .extension), lockIsBusy: false))
    for _ in 0..<10 {
      app.play(.ownLockWasBusy)
      app.now = app.machine.deadline ?? app.now
      app.play(.deadlineReached, free)
    }
    let before = app.now
    expect(app.send(.ownLockWasBusy), is: [])
    expect(app.machine.deadline, is: before + .milliseconds(250))
  }

  @Test
  func `The extension's end, or a presence message of it, makes the waiting app check ownership at once`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    app.play(.observed(observation(row(7, .extension), lockIsBusy: true)))
    expect(app.send(.partnerEnded, at: 0.01), is: [.look])
    expect(app.send(.partnerEnded, at: 0.02), is: [], "a look is already pending")
    app.play(.observed(observation(row(7, .extension), lockIsBusy: true)))
    let notice = PresenceMessage(code: .extensionUnavailable, released: 7)
    expect(app.send(.presenceHeard(notice), at: 0.03), is: [.look])
  }

  @Test func `The app answers a ping with a pong, and does not answer a pong`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    expect(app.send(.presenceHeard(PresenceMessage(code: .extensionPing))), is: [say(.appPong)])
    expect(app.send(.presenceHeard(PresenceMessage(code: .extensionPong))), is: [])
  }

  /// The extension was started by a push, so the LSP is reachable.
  @Test func `A presence message of the extension ends the app's pause before its next dial`() {
    let ping = GuardEvent.presenceHeard(PresenceMessage(code: .extensionPing))
    let pong = say(.appPong, wants: true)
    var app = Driver<AppMachine>.claimed()
    app.play(.node(.connecting), .rowRead(row(8, .app), appWantsNode: true))
    expect(app.send(ping), is: [pong], "the node is dialling")
    app.play(.node(.trouble("the peer does not answer")))
    expect(app.send(ping), is: [.endLongPause, pong])
    app.play(.node(.established), .rowRead(row(8, .app), appWantsNode: true))
    expect(app.send(ping), is: [pong], "the node is connected")
  }

  @Test func `The app ignores messages of its own role, and messages before its launch`() {
    var app = Driver<AppMachine>()
    app.play(.deadlineReached)
    expect(app.send(.presenceHeard(PresenceMessage(code: .extensionPing))), is: [])
    app.play(.launched, .enteredForeground)
    app.play(.observed(observation(row(7, .extension), lockIsBusy: true)))
    expect(app.send(.presenceHeard(PresenceMessage(code: .appPing, wantsNode: true))), is: [])
  }

  @Test func `The app shows every step from idle to connected`() {
    let app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.shown, is: [.idle, .claiming, .connecting(8), .connected(8)])
  }
}

/// The app releases the node: in the background, asked to terminate, fenced, or refused by the peer.
@Suite struct AppReleaseTests {
  private func unavailable(released: Epoch?) -> GuardDirective {
    .say(PresenceMessage(code: .appUnavailable, released: released))
  }

  private let owned = GuardEvent.rowRead(row(8, .app), appWantsNode: false)
  /// Precedes every release.
  private let timeAsked: [GuardDirective] = [.beginBackgroundTask(1), .backgroundDone]
  private let withdrawn: [GuardDirective] = [.withdrawIntent, .say(PresenceMessage(code: .appPing))]

  @Test(.shows("P-1.2", "K-20"))
  func `Entering the background stops the node, beats, unlocks, then ends the background task`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.enteredBackground), is: timeAsked + withdrawn + [.stopNode(gracefully: true)])
    expect(app.send(.node(.stopped)), is: [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 4), .dropLock, .settle, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    expect(app.send(owned), is: end)
    #expect(app.machine.deadline == nil)
  }

  @Test func `Entering the background during an ownership check ends the background task at once`() {
    var app = Driver<AppMachine>()
    app.play(.launched, .enteredForeground)
    let done = timeAsked + withdrawn + [unavailable(released: nil), .endBackgroundTask(1)]
    expect(app.send(.enteredBackground), is: done)
    expect(app.send(.observed(observation(nil, lockIsBusy: false))), is: [])
  }

  @Test func `A claim that succeeds in the background is released without a dial`() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    expect(app.send(.enteredBackground), is: timeAsked + withdrawn)
    expect(app.send(.claimed(claim(8))), is: [.readRow])
    let end: [GuardDirective] = [
      .beat(epoch: 8, phase: .released, counter: 1), .dropLock, .settle, unavailable(released: 8),
      .endBackgroundTask(1),
    ]
    expect(app.send(owned), is: end)
  }

  @Test(arguments: [
    GuardEvent.claimSuperseded, .ownLockWasBusy, .claimFailed(.blocked(pid: 1, isStopped: true)),
  ])
  func `A claim that fails in the background ends the background task`(answer: GuardEvent) {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground)
    expect(app.send(answer), is: [unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test func `Returning to the foreground during a release completes it and checks ownership again`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground)
    let intent = GuardDirective.say(PresenceMessage(code: .appPing, wantsNode: true))
    expect(app.send(.enteredForeground), is: [.endBackgroundTask(1), .raiseIntent, intent])
    expect(app.send(.node(.stopped)), is: [.readRow])
    let wanted = GuardEvent.rowRead(row(8, .app), appWantsNode: true)
    expect(app.send(wanted), is: [.beat(epoch: 8, phase: .released, counter: 4), .dropLock, .look])
  }

  @Test func `Going home and returning during a claim keeps the claim`() {
    var app = Driver<AppMachine>.claiming(epoch: 8)
    app.play(.enteredBackground, .enteredForeground)
    expect(app.send(.claimed(claim(8))).last, is: .startNode(claim(8)))
  }

  @Test func `A node that does not stop is closed after 3 s`() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, at: 1)
    expect(app.machine.deadline, is: seconds(4))
    expect(app.send(.deadlineReached, at: 3.999), is: [])
    expect(app.send(.deadlineReached, at: 4), is: [.stopNode(gracefully: false), .readRow])
  }

  @Test
  func `If the claim row cannot be read at the release, the app unlocks without a beat and names no epoch`() {
    var app = Driver<AppMachine>.connected()
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowReadFailed(.failed("The disk is full.")))
    expect(end, is: [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }

  @Test(.shows("M-9.6")) func `Asked to terminate, the app releases, ends, and orders nothing after its end`()
  {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.terminationRequested), is: [.withdrawIntent, .stopNode(gracefully: true)])
    app.play(.node(.stopped))
    let end = app.machine.handle(owned, at: app.now)
    expect(end.last, is: .end(.terminated))
    #expect(end.contains(.dropLock))
    expect(app.send(.enteredForeground), is: [])
    #expect(app.machine.deadline == nil)
  }

  @Test func `Asked to terminate in the background, the app ends at once`() {
    var app = Driver<AppMachine>()
    app.play(.launched)
    expect(app.send(.terminationRequested), is: [unavailable(released: nil), .end(.terminated)])
  }

  @Test func `The app reads the claim row again before every beat`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    expect(app.machine.deadline, is: seconds(2))
    expect(app.send(.deadlineReached, at: 1.999), is: [])
    expect(app.send(.deadlineReached, at: 2), is: [.readRow])
    #expect(app.machine.deadline == nil)
    expect(app.send(owned), is: [.beat(epoch: 8, phase: .claimed, counter: 2)])
    expect(app.machine.deadline, is: seconds(4))
  }

  @Test func `After a failed read of the claim row the app does not beat, and reads again`() {
    var app = Driver<AppMachine>.claimed(epoch: 8)
    app.play(.deadlineReached, at: 2)
    expect(app.send(.rowReadFailed(.blocked(pid: nil, isStopped: true))), is: [])
    expect(app.machine.deadline, is: seconds(2.1))
    expect(app.send(.deadlineReached, at: 2.1), is: [.readRow])
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
      expect(app.send(event), is: [])
      expect(app.machine, is: before, "\(event)")
    }
  }

  @Test(arguments: [row(9, .extension), nil])
  func `An app that lost its claim stops the node, unlocks, and checks ownership again`(row: ClaimRow?) {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.deadlineReached, at: 2)
    let answer = app.send(.rowRead(row, appWantsNode: true))
    expect(answer, is: [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func `When its node is fenced, the app unlocks without a beat and checks ownership again`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    expect(app.send(.node(.fenced)), is: [.stopNode(gracefully: false), .dropLock, .look])
  }

  @Test func `An app fenced during its release unlocks and ends the background task`() {
    var app = Driver<AppMachine>.connected(epoch: 8)
    app.play(.enteredBackground, .node(.stopped))
    let end = app.send(.rowRead(row(9, .extension), appWantsNode: false))
    expect(end, is: [.dropLock, unavailable(released: nil), .endBackgroundTask(1)])
  }
}
