import Ground
import Heartbeat
import SimulationSupport
import Testing

@testable import Wallet
@testable import Simulation

/// Phoenix's text on multi-part payments; numbers are its lines.
@Suite("Seed sentences: multi-part payments") struct PartSentenceTests {
  static let numbers = 1...8 as ClosedRange<UInt64>

  /// Part 1 reached the extension, then the app was opened.
  private func handedOver(_ number: UInt64) -> Story {
    var story = Story.withAppBehind(number)
    story.world.make(.payPart(0, part: 1, of: 2))
    #expect(story.waits { $0.keptParts(.extension) == 1 })
    story.world.make(.open)
    #expect(story.waits { $0.isConnected(.app) && $0.life(.app)?.wallet.node.partials.count == 1 })
    return story
  }

  @Test(arguments: numbers)
  func `141: 'different views of a pending payment': instead, the app has the extension's part too`(
    number: UInt64
  ) {
    let story = handedOver(number)
    #expect(story.world.keptParts(.app) == 1)
    #expect(story.world.container.value.received.isEmpty)
    #expect(story.world.payments.map(\.state) == [.underWay], "neither missed nor failed")
  }

  @Test(arguments: numbers)
  func `145: 'using the shared container' the node's next owner completes the payment`(number: UInt64) {
    var story = handedOver(number)
    story.world.make(.payPart(0, part: 2, of: 2))
    #expect(story.waits { $0.isSettled && $0.payments.map(\.state) == [.paid, .paid] })
    #expect(story.world.container.value.received.map(\.amountMsat) == [1000])
  }
}

extension World {
  /// The number of parts in the process's durable channel.
  fileprivate func keptParts(_ role: Role) -> Int {
    life(role)?.wallet.node.durableChannel?.committedHTLCs.count ?? 0
  }
}
