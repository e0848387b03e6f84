import Guardrails

/// The extension that has no node.
@Suite("An extension that only notifies") struct TellingExtensionTests {
  private static let announcement = Announcement(
    kind: .incomingHtlc, paymentHash: paymentHash("aa"), amountMsat: 100_000, isHeld: true, holdEndsAt: 60)
  private static let record = IncomingRecord(
    paymentHash: paymentHash("aa"), amountMsat: 100_000, kind: .incomingHtlc, isHeld: true, holdEndsAt: 60)

  private static let notInTime = "An announced payment is not stored after half a second."

  private func announced(_ id: UInt64, _ announcement: Announcement = announcement) -> Push {
    Push(id: id, reason: .incomingPayment, paymentHash: announcement.paymentHash, announcement: announcement)
  }

  private func told(
    _ id: UInt64, _ reason: FinishReason, _ announcement: Announcement = announcement
  ) -> [GuardDirective] {
    [.deliver(push: id, .announced(announcement)), .finished(push: id, reason)]
  }

  private func storing() -> Driver<TellingExtensionMachine> {
    var notifier = Driver<TellingExtensionMachine>()
    notifier.play(.launched, .pushArrived(announced(1)))
    return notifier
  }

  @Test func `An announced payment is stored for the app before its text is delivered`() {
    var notifier = Driver<TellingExtensionMachine>()
    expect(notifier.send(.launched), is: [])
    expect(notifier.send(.pushArrived(announced(1))), is: [.storeIncoming(Self.record, push: 1)])
    expect(notifier.send(.incomingStored(push: 1), at: 0.001), is: told(1, .announced))
    #expect(notifier.machine.deadline == nil)
  }

  @Test func `A push that was told before it could be read is stored, and not told again`() {
    var notifier = Driver<TellingExtensionMachine>()
    notifier.play(.launched)
    let answers: [GuardEvent] = [
      .incomingStored(push: 1), .deadlineReached, .incomingNotStored(.lost("It is gone."), push: 1),
    ]
    for (second, answer) in zip([0, 1, 2] as [Double], answers) {
      expect(
        notifier.send(.toldPushRead(announced(1)), at: second), is: [.storeIncoming(Self.record, push: 1)])
      expect(notifier.send(.toldPushRead(announced(1))), is: [])
      let directives = notifier.send(answer, at: second + 0.5)
      #expect(!directives.contains { if case .phone(.deliver) = $0 { true } else { false } }, "\(answer)")
      #expect(notifier.machine.deadline == nil)
    }
    expect(notifier.send(.toldPushRead(Push(id: 2, reason: .unreadable))), is: [])
    expect(notifier.send(.toldPushRead(announced(3))), is: [.storeIncoming(Self.record, push: 3)])
    expect(notifier.send(.terminationRequested), is: [.end(.terminated)])
  }

  @Test func `No text is told while the record of a push told before is stored, for half a second at most`() {
    let unreadable = Push(id: 2, reason: .unreadable)
    var notifier = Driver<TellingExtensionMachine>()
    _ = notifier.send(.toldPushRead(announced(1)))
    expect(notifier.send(.pushArrived(unreadable)), is: [])
    expect(notifier.send(.pushArrived(unreadable)), is: [])
    let text: [GuardDirective] = [
      .deliver(push: 2, .nothingReceived(.unreadable)), .finished(push: 2, .unreadablePush),
    ]
    expect(notifier.send(.incomingStored(push: 1)), is: text)

    _ = notifier.send(.toldPushRead(announced(3)), at: 1)
    expect(notifier.send(.pushArrived(unreadable)), is: [])
    expect(notifier.send(.deadlineReached, at: 1.5), is: text)
    expect(notifier.shown, is: [.trouble(Self.notInTime)])

    _ = notifier.send(.toldPushRead(announced(4)), at: 2)
    expect(notifier.send(.pushArrived(unreadable)), is: [])
    expect(
      notifier.send(.expiryWarned(push: 2)),
      is: [
        text[0], .finished(push: 2, .timeWillExpire),
      ])
  }

  @Test func `A push that cannot be read has its text at once and stores nothing`() {
    var notifier = Driver<TellingExtensionMachine>()
    let push = Push(id: 1, reason: .unreadable)
    expect(
      notifier.send(.pushArrived(push)),
      is: [
        .deliver(push: 1, .nothingReceived(.unreadable)), .finished(push: 1, .unreadablePush),
      ])
  }

  @Test(arguments: [
    Announcement(kind: .orderPaymentConfirmed), Announcement(kind: .mutualClose),
    Announcement(kind: .incomingHtlc, paymentHash: paymentHash("aa")),
    Announcement(kind: .incomingHtlc, amountMsat: 5),
    Announcement(kind: .mutualClose, paymentHash: paymentHash("aa"), amountMsat: 5),
  ]) func `News that name no payment with its hash and amount are told at once and not stored`(
    announcement: Announcement
  ) {
    var notifier = Driver<TellingExtensionMachine>()
    expect(notifier.send(.pushArrived(announced(1, announcement))), is: told(1, .announced, announcement))
  }

  @Test func `A blocked store is tried again every 25 ms, and is given up 500 ms after the push`() {
    var notifier = storing()
    var (now, attempts) = (0.001, 1)
    while true {
      expect(notifier.send(.incomingNotStored(.blocked(pid: nil, isStopped: true), push: 1), at: now), is: [])
      let next = notifier.machine.deadline ?? seconds(99)
      now = Double(next.nanoseconds) / 1e9
      let directives = notifier.send(.deadlineReached, at: now)
      if directives != [.storeIncoming(Self.record, push: 1)] {
        expect(directives, is: told(1, .announced))
        expect(notifier.shown, is: [.trouble(Self.notInTime)])
        break
      }
      attempts += 1
    }
    #expect(now == 0.5 && attempts == 20)
    expect(notifier.send(.incomingStored(push: 1)), is: [])
  }

  @Test func `A store that never answers delays the text by 500 ms`() {
    var notifier = storing()
    expect(notifier.send(.deadlineReached, at: 0.499), is: [])
    expect(notifier.send(.deadlineReached, at: 0.5), is: told(1, .announced))
    expect(notifier.shown, is: [.trouble(Self.notInTime)])
  }

  @Test func `A store that fails does not delay the text at all`() {
    var notifier = storing()
    expect(notifier.send(.incomingNotStored(.failed("The disk is full."), push: 1)), is: told(1, .announced))
    expect(notifier.shown, is: [.trouble("The disk is full.")])
  }

  @Test func `When the system warns that the time expires, the text is delivered without the record`() {
    var notifier = storing()
    expect(notifier.send(.expiryWarned(push: 2)), is: [])
    expect(notifier.send(.expiryWarned(push: 1)), is: told(1, .timeWillExpire))
    expect(notifier.send(.incomingStored(push: 1)), is: [])
  }

  @Test func `Asked to terminate, the extension delivers every open text and ends`() {
    var notifier = storing()
    notifier.play(.pushArrived(announced(2)))
    expect(
      notifier.send(.terminationRequested),
      is: told(1, .terminated) + told(2, .terminated) + [.end(.terminated)])
    expect(notifier.send(.pushArrived(announced(3))), is: [])
    #expect(notifier.machine.deadline == nil)
  }

  @Test func `A lost container ends no push without its text, and the next push is served`() {
    var notifier = storing()
    expect(notifier.send(.containerLost("It is gone.")), is: told(1, .containerLost))
    expect(notifier.send(.pushArrived(announced(2))), is: [.storeIncoming(Self.record, push: 2)])
    expect(notifier.send(.incomingNotStored(.lost("It is gone."), push: 2)), is: told(2, .containerLost))
  }

  @Test func `A push that arrives while another is stored does not wait for it`() {
    var notifier = storing()
    expect(notifier.send(.pushArrived(announced(1))), is: [])
    let other = Announcement(kind: .mutualClose)
    expect(notifier.send(.pushArrived(announced(2, other))), is: told(2, .announced, other))
    expect(notifier.send(.incomingStored(push: 1)), is: told(1, .announced))
  }

  @Test func `Of more than 64 pushes at once the later ones are told without a record`() {
    var notifier = Driver<TellingExtensionMachine>()
    for id in 1...64 as ClosedRange<UInt64> {
      expect(notifier.send(.pushArrived(announced(id))), is: [.storeIncoming(Self.record, push: id)])
    }
    expect(notifier.send(.pushArrived(announced(65))), is: told(65, .tooManyPushes))
  }

  @Test func `It never claims, looks, beats, reads the row or starts a node, whatever happens`() {
    for seed in 0..<100 as Range<UInt64> {
      var run = RandomRun<TellingExtensionMachine>(seed: seed, keepsStory: true)
      for _ in 0..<40 { run.step() }
      run.comeToAnEnd()
      #expect(run.promises.broken.isEmpty)
      let orders = run.story.compactMap { $0.split(separator: "→").last.map(String.init) }
      for word in ["claim(", "look", "beat(", "readRow", "startNode", "raiseIntent", "say("] {
        #expect(!orders.contains { $0.contains(".\(word)") })
      }
    }
  }
}
