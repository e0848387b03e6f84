@testable import Wallet

@Suite("The order in which the app opens") struct OpeningTests {
  /// Opened by the user at 0 s, and in sync at 3 s.
  private func inSync() -> Opening {
    var core = Opening()
    for (event, second) in [
      (.asked(.user), 0), (.shown(.claiming), 0), (.connecting, 1), (.dialling, 1), (.dialled, 2),
      (.shown(.connected(8)), 3),
    ] as [(OpeningEvent, Double)] { _ = core.handle(event, at: seconds(second)) }
    return core
  }

  private let records = BackgroundStep.done("2 records")

  @Test(.shows("B-1.4.1", "B-1.4.2", "B-1.4.3", "B-1.4.4"))
  func `Setup, start, peers, sync, and only then what can wait`() {
    var core = Opening()
    expect(core.handle(.asked(.user), at: seconds(0)), is: [.enter(.setup)])
    expect(core.handle(.shown(.claiming), at: seconds(0)), is: [])
    expect(core.handle(.connecting, at: seconds(1)), is: [.enter(.start)])
    expect(core.handle(.dialling, at: seconds(1)), is: [.enter(.peers)])
    expect(core.handle(.dialled, at: seconds(2)), is: [.enter(.sync)])
    #expect(core.deadline == nil)
    expect(core.handle(.shown(.connected(8)), at: seconds(3)), is: [])
    expect(core.deadline, is: seconds(4))
    expect(core.handle(.deadlineReached, at: seconds(4)), is: [.enter(.deferred), .take(.incomingRecords)])
  }

  @Test func `Deferred work goes on in short steps, each after the answer to the one before`() {
    var core = inSync()
    _ = core.handle(.deadlineReached, at: seconds(4))
    #expect(core.deadline == nil)
    _ = core.handle(.stepDone(.incomingRecords, records), at: seconds(5))
    expect(core.deadline, is: seconds(5) + Opening.pause)
    expect(core.handle(.deadlineReached, at: seconds(6)), is: [.take(.journals)])
    _ = core.handle(.stepDone(.journals, .goesOn), at: seconds(6))
    expect(core.handle(.deadlineReached, at: seconds(7)), is: [.take(.journals)])
    _ = core.handle(.stepDone(.journals, .failed("no such file")), at: seconds(7))
    #expect(core.deadline == nil && core.works == [])
    _ = core.handle(.workCame(.incomingRecords), at: seconds(8))
    expect(core.handle(.deadlineReached, at: seconds(9)), is: [.take(.incomingRecords)])
  }

  @Test(.shows("B-1.4.4"))
  func `A payment or the user's leaving interrupts deferred work; it goes on when the app is in sync again`()
  {
    let ways: [(stops: OpeningEvent, goesOn: OpeningEvent)] = [
      (.shown(.settling(8)), .shown(.connected(8))), (.paymentsAwaited(true), .paymentsAwaited(false)),
    ]
    for way in ways {
      var core = inSync()
      _ = core.handle(way.stops, at: seconds(3))
      #expect(core.deadline == nil)
      expect(core.handle(.deadlineReached, at: seconds(60)), is: [])
      _ = core.handle(way.goesOn, at: seconds(61))
      expect(core.deadline, is: seconds(62))
      _ = core.handle(.deadlineReached, at: seconds(62))
      _ = core.handle(way.stops, at: seconds(62))
      // The step that had begun is answered, and none follows.
      _ = core.handle(.stepDone(.incomingRecords, .goesOn), at: seconds(62))
      #expect(core.deadline == nil)
    }
    var core = inSync()
    _ = core.handle(.left, at: seconds(3))
    #expect(core.deadline == nil)
  }

  @Test func `After a lost connection the steps from the dial on come again`() {
    var core = inSync()
    _ = core.handle(.deadlineReached, at: seconds(4))
    expect(core.handle(.connecting, at: seconds(5)), is: [])
    expect(core.handle(.stepDone(.incomingRecords, records), at: seconds(5)), is: [])
    #expect(core.deadline == nil)
    expect(core.handle(.dialling, at: seconds(6)), is: [.enter(.peers)])
    expect(core.handle(.dialled, at: seconds(6)), is: [.enter(.sync)])
    _ = core.handle(.shown(.connected(8)), at: seconds(7))
    expect(core.handle(.deadlineReached, at: seconds(8)), is: [.enter(.deferred), .take(.journals)])
  }

  @Test func `An app that comes back while it is still connected passes the same steps at once`() {
    var core = inSync()
    _ = core.handle(.left, at: seconds(3))
    expect(
      core.handle(.asked(.user), at: seconds(4)),
      is: [.enter(.setup), .enter(.start), .enter(.peers), .enter(.sync)])
  }

  @Test(.shows("B-S.2"))
  func `A silent push and a scheduled task take the same steps, without deferred work`() {
    for cause in [Opening.Cause.silentPush, .scheduledTask] {
      var core = Opening()
      expect(core.handle(.asked(cause), at: seconds(0)), is: [.enter(.setup)])
      _ = core.handle(.shown(.claiming), at: seconds(0))
      expect(core.handle(.connecting, at: seconds(1)), is: [.enter(.start)])
      expect(core.handle(.dialling, at: seconds(1)), is: [.enter(.peers)])
      expect(core.handle(.dialled, at: seconds(2)), is: [.enter(.sync)])
      _ = core.handle(.shown(.connected(8)), at: seconds(3))
      #expect(core.deadline == nil)
      // The user opens the app meanwhile.
      expect(core.handle(.asked(.user), at: seconds(3)).first, is: .enter(.setup))
      expect(core.deadline, is: seconds(4))
    }
  }
}
