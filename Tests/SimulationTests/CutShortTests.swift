import Ground
import Heartbeat
import Testing

@testable import Simulation

/// An extension that ends during a payment, while the app stays closed.
@Suite("An extension killed at any step") struct CutShortTests {
  @Test
  func `A payment stored but not settled by a killed extension is settled and reported at the next push`()
    throws
  {
    try cutShort { $0.make(.kill(.extension)) }
  }

  @Test
  func
    `A payment stored by an extension that loses the network and is killed is settled at the next push`()
    throws
  {
    try cutShort { world in
      world.make(.network(isThere: false))
      world.live(for: .seconds(1))
      world.make(.kill(.extension))
      world.make(.network(isThere: true))
    }
  }

  private func cutShort(_ cut: (inout World) -> Void) throws {
    var cutPending = 0
    var steps = 0
    while true {
      steps += 1
      var world = try World.withAClosedApp()
      world.make(.pay(0))
      let end = world.peerNow + .seconds(40)
      for _ in 0..<steps where world.peerNow < end { world.step(until: end) }
      guard world.peerNow < end else { break }
      guard world.life(.extension) != nil else { continue }
      let isPaid = world.payments.first?.state == .paid
      cut(&world)
      let isPending = !isPaid && !world.container.value.received.isEmpty
      world.live(for: .seconds(60))
      #expect(world.violation == nil, "after \(steps) steps")
      guard isPending else { continue }
      cutPending += 1
      #expect(world.payments.map(\.state) == [.paid], "after \(steps) steps")
      #expect(world.pushes.last?.shown == 1, "after \(steps) steps")
    }
    #expect(cutPending > 2)
  }
}
