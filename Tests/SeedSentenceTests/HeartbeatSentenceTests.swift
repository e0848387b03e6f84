import Ground
import Glibc
import Heartbeat
import SharedContainer
import SimulationSupport
import Testing

@testable import Guardrails
@testable import Simulation

/// Phoenix's text on guardrail #3; numbers are its lines.
@Suite("Seed sentences: guardrail #3, the heartbeat") struct HeartbeatSentenceTests {
  static let numbers = 1...8 as ClosedRange<UInt64>

  @Test func `110: 'continually (every 2 seconds) update a flag/timestamp'`() {
    var notifier = Process<ExtensionMachine>.connected(8)
    #expect(notifier.beats(until: 10, epoch: 8) == [2, 4, 6, 8, 10].map(seconds))
  }

  @Test
  func `110: 'when the notifySrvExt process connects': instead, it beats from the claim on, before the dial`()
  {
    var notifier = Process<ExtensionMachine>()
    _ = notifier.hears(.launched, .pushArrived(Push(id: 1, reason: .incomingPayment, paymentHash: .zero)))
    _ = notifier.hears(seen(row(7, .app), lockIsBusy: false))
    let claim = Claim(epoch: 8, incarnation: 8, container: ContainerID(high: 3, low: 4))
    let directives = notifier.hears(.claimed(claim))
    let beat = directives.firstIndex(of: .beat(epoch: 8, phase: .claimed, counter: 1))
    let dial = directives.firstIndex(of: .startNode(claim))
    #expect(beat != nil && dial != nil)
    #expect((beat ?? 1) < (dial ?? 0))
  }

  @Test
  func `110: 'in the shared UserDefaults system': instead, a slot in a file; if truncated, it is no beat`()
    throws
  {
    var template = Array("/tmp/baton-sentence-XXXXXX".utf8CString)
    let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
    let path = "\(directory)/heartbeat"
    defer {
      unlink(path)
      rmdir(directory)
    }
    let mine = beat(epoch: 8, counter: 3)
    #expect(HeartbeatFile(path: path).write(mine) == .written)
    #expect(HeartbeatFile(path: path).read(.extension) == mine)
    #expect(truncate(path, 512 + 7) == 0)
    #expect(HeartbeatFile(path: path).read(.extension) == nil)
  }

  @Test func `110: under wait-stale 'recent (less than 5 seconds ago)' includes 4.999 s, but not 5.000 s`() {
    for (age, isStale) in [(4.999, false), (5.0, true)] {
      var rule = AgeRule(timing: .standard)
      let verdict = rule.judge(beat(epoch: 8, counter: 1), ofEpoch: 8, boot: boot, bootClock: seconds(age))
      #expect((verdict == .stale) == isStale, "\(age)")
    }
  }

  @Test
  func `110: 'it will prevent the peer from connecting': the app claims nothing while the extension beats`() {
    var app = Process<AppMachine>.inFront()
    for quarter in 0...240 {
      let second = Double(quarter) / 4
      let look = seen(
        row(8, .extension), lockIsBusy: true, beat: beat(epoch: 8, counter: UInt64(quarter / 8)))
      let directives = app.hears(.deadlineReached, look, at: second)
      let moves = directives.filter {
        switch $0 {
        case .claim, .startNode: true
        default: false
        }
      }
      #expect(moves == [], "after \(second) s")
    }
  }

  @Test func `114: the app shows 'receiving payment in background'`() {
    var app = Process<AppMachine>.inFront()
    _ = app.hears(seen(row(8, .extension), lockIsBusy: true, beat: beat(epoch: 8, counter: 1)))
    #expect(app.shown.last == "receiving payment in background")
  }

  @Test func `118: 'it will stop updating' when the extension completes`() {
    var notifier = Process<ExtensionMachine>.connected(8)
    let paid = ReceivedPayment(paymentHash: .zero, amountMsat: 5000, text: "")
    _ = notifier.hears(.node(.received(paid)), at: 1)
    _ = notifier.hears(.deadlineReached, .rowRead(row(8, .extension), appWantsNode: false), at: 5.5)
    let end = notifier.hears(
      .deadlineReached, .node(.stopped), .rowRead(row(8, .extension), appWantsNode: false), at: 6)
    #expect(end.contains(.finished(push: 1, .idle)))
    #expect(notifier.beats(until: 600, epoch: 8) == [])
  }

  @Test(arguments: [Takeover.lock, .waitStale], numbers)
  func
    `118: 'once the timestamp is more than 5 seconds old': after a clean end the app connects within 1 s`(
      takeover: Takeover, number: UInt64
    ) throws
  {
    var story = Story.withAppBehind(number, takeover: takeover)
    story.world.make(.pay(0))
    #expect(story.waits { $0.isConnected(.extension) })
    #expect(story.waits { $0.isPaid && $0.life(.extension)?.claim == nil })
    story.world.make(.open)
    let waited = try #require(story.spanUntil { $0.isConnected(.app) })
    #expect(waited < .seconds(1))
  }

  @Test(arguments: numbers)
  func
    `118 and 122: under wait-stale the app connects after a crash once the beat is 'more than 5 seconds old'`(
      number: UInt64
    ) throws
  {
    let waited = try waitAfterCrash(number, .waitStale)
    #expect(waited > .milliseconds(2900) && waited <= .milliseconds(5500), "\(waited)")
  }

  @Test(arguments: numbers)
  func `122: 'if the notifySrvExt process crashes' the app connects: instead of 'eventually', within 1 s`(
    number: UInt64
  ) throws {
    #expect(try waitAfterCrash(number, .lock) < .seconds(1))
  }

  /// The time from a connected extension's death and the app's opening to the app's connection.
  private func waitAfterCrash(_ number: UInt64, _ takeover: Takeover) throws -> TimeSpan {
    var story = Story.withAppBehind(number, takeover: takeover)
    story.world.make(.pay(0))
    #expect(story.waits { $0.isConnected(.extension) })
    story.world.make(.kill(.extension))
    story.world.make(.open)
    let waited = try #require(story.spanUntil { $0.isConnected(.app) })
    #expect(story.waits { $0.isPaid })
    #expect(story.world.container.value.received.count == 1)
    return waited
  }
}
