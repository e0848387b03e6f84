import Ground
import Heartbeat
import SimulationSupport
import Testing

@testable import Simulation

/// Phoenix's text on the two processes at once, in the simulation; numbers are its lines.
@Suite("Seed sentences: two processes at once") struct TogetherSentenceTests {
  static let numbers = 1...8 as ClosedRange<UInt64>

  @Test(arguments: numbers)
  func `52: 'launch the mainApp while the notifySrvExt is running': the payment settles once`(number: UInt64)
  { opened(number, isClosed: true) }

  @Test(arguments: numbers)
  func
    `53: 'bring the mainApp into the foreground while the notifySrvExt is running': the payment settles once`(
      number: UInt64
    )
  { opened(number, isClosed: false) }

  private func opened(_ number: UInt64, isClosed: Bool) {
    var story = Story.withAppBehind(number)
    if isClosed { story.quits() }
    story.world.make(.pay(0))
    #expect(story.waits { $0.isConnected(.extension) })
    story.world.make(.open)
    #expect(story.waits { $0.isSettled && $0.isPaid })
    #expect(story.world.container.value.received.count == 1)
    #expect(story.world.violation == nil)
  }

  @Test
  func `57: 'without any kind of guardrails' invariants break; with guardrails the same seeds break none`() {
    func broken(_ rules: [Rule]) -> [Invariant] {
      (1...12 as ClosedRange<UInt64>).compactMap { seed in
        var settings = RunSettings(seed: seed)
        settings.world.without = Rules(rules)
        var run = SeedRun(settings)
        return run.run().violation?.invariant
      }
    }
    let without = broken(Rule.allCases)
    #expect(without.contains(.oneDriver) || without.contains(.channelNeverBack), "\(without)")
    #expect(broken([]) == [])
  }

  enum Place: CaseIterable { case foreground, background, notRunning }

  @Test(arguments: Place.allCases, numbers)
  func
    `57: the wallet receives 'regardless whether the mainApp is in the foreground, background or not running'`(
      place: Place, number: UInt64
    )
  {
    var story = Story.withInvoice(number)
    if place != .foreground { story.goesHome() }
    if place == .notRunning { story.quits() }
    story.world.make(.pay(0))
    #expect(story.waits { $0.isPaid })
    #expect(story.world.container.value.received.count == 1)
    #expect(story.world.container.value.row?.role == (place == .foreground ? .app : .extension))
  }

  @Test(arguments: numbers)
  func `63: 'background the app at anytime': a payment that is settling then is still received once`(
    number: UInt64
  ) {
    var story = Story.withInvoice(number)
    story.world.make(.pay(0))
    #expect(story.waits { if case .settling = $0.life(.app)?.status { true } else { false } })
    story.goesHome()
    #expect(
      story.world.life(.app)?.claim == nil, "the app has released the node when it is done in the background")
    #expect(story.waits { $0.isPaid })
    #expect(story.world.container.value.received.count == 1)
  }

  @Test(arguments: numbers)
  func `89: 'as long as the mainApp's connection is open', no push is sent and no extension launched`(
    number: UInt64
  ) {
    var story = Story.withInvoice(number)
    story.world.make(.pay(0))
    #expect(story.waits { $0.isPaid })
    #expect(story.world.pushes.isEmpty)
    #expect(story.world.life(.extension) == nil)
  }
}
