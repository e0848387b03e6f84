import Ground
import Guardrails
import Heartbeat
import SimulationSupport
import Testing

@testable import Simulation

/// Phoenix's text on long-lived tasks, in the simulation; numbers are its lines.
@Suite("Seed sentences: long-lived tasks") struct TaskSentenceTests {
  private static let numbers: ClosedRange<UInt64> = 1...4

  /// A connected app in the background with a running task.
  private func sending(_ number: UInt64) -> Story {
    var story = Story.withInvoice(number)
    story.world.make(.beginTask)
    _ = story.waits { $0.hasTask }
    story.world.make(.home)
    return story
  }

  @Test(arguments: numbers)
  func `71: a long-lived task gives 'up to 3 additional minutes' in the background`(number: UInt64) {
    var story = sending(number)
    let start = story.world.peerNow
    #expect(story.waits(.seconds(200)) { !$0.isConnected(.app) })
    let span = story.world.peerNow - start
    #expect(span >= .seconds(179) && span <= .seconds(181))
    #expect(story.waits { $0.phone.isAppIdle })
  }

  @Test(arguments: numbers)
  func `75, 76: 'backgrounded' while it sends, the app keeps its connection`(number: UInt64) {
    var story = sending(number)
    #expect(!story.waits(.seconds(100)) { !$0.isConnected(.app) || $0.phone.isAppIdle })
    story.world.make(.pay(0))
    #expect(story.waits { $0.isPaid })
    #expect(story.world.pushes.isEmpty)
  }

  @Test(arguments: numbers)
  func `77: when the task ends, 'the network connections will be closed'`(number: UInt64) {
    var story = sending(number)
    story.world.make(.endTask)
    #expect(story.waits { !$0.isConnected(.app) })
    #expect(story.waits { $0.phone.app == .suspended })
    #expect(story.world.life(.app)?.claim == nil)
  }

  @Test(arguments: numbers)
  func `85: 'sensitive tasks' such as incoming payments keep the connection too`(number: UInt64) {
    var story = Story.withInvoice(number)
    story.world.make(.pay(0))
    #expect(story.waits { if case .settling = $0.life(.app)?.status { true } else { false } })
    story.world.make(.home)
    #expect(story.waits { $0.isPaid })
    #expect(story.waits { $0.phone.isAppIdle })
    #expect(story.world.pushes.isEmpty, "the app itself completes the payment")
    #expect(story.world.container.value.row?.role == .app)
  }

  @Test(arguments: numbers)
  func `85: 'sensitive tasks' such as splices keep the connection too`(number: UInt64) {
    var story = Story(number, splices: true)
    story.world.make(.open)
    #expect(story.waits { $0.isSettled })
    story.world.make(.withdraw(4000))
    #expect(story.waits { $0.container.value.node.channel?.pendingSplice != nil })
    story.world.make(.home)
    #expect(story.waits { $0.areSplicesOver && $0.splices.done.count == 1 })
    #expect(story.waits { $0.phone.isAppIdle })
    #expect(story.world.container.value.row?.role == .app)
  }
}
