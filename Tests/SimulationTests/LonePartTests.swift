import CoreShape
import Guardrails
import Heartbeat
import Lightning
import Testing

@testable import Simulation

@Suite("A part that stays alone, with the app closed") struct LonePartTests {
  /// Until it is time.
  private func live(_ world: inout World, for span: Span) {
    let end = world.peerNow + span
    var moves: [Move] = []
    while world.peerNow < end {
      moves.removeAll()
      world.ready(into: &moves)
      let left = world.now + (end - world.peerNow)
      world.make(moves.first ?? .timePasses(until: min(world.nextInstant ?? left, left)))
    }
  }

  @Test(
    "The extension gives it back in the life in which its minute is over, and the person sees two notifications"
  )
  func ends() throws {
    var world = World()
    world.make(.open)
    live(&world, for: .seconds(5))
    world.make(.invoice)
    live(&world, for: .seconds(1))
    world.make(.quit)
    live(&world, for: .seconds(5))
    try #require(world.life(.app) == nil && world.unpaidInvoices == [0])
    world.make(.payPart(0, part: 1, of: 2))
    live(&world, for: .seconds(59))
    #expect(world.payments.map(\.state) == [.underWay])
    #expect(world.container.value.node.channel?.htlcs.count == 1)
    live(&world, for: .seconds(16))
    #expect(world.payments.map(\.state) == [.failed])
    #expect(world.container.value.node.channel?.htlcs == [] && world.container.value.waits == [])
    // And nobody is called for it any more.
    live(&world, for: .seconds(600))
    #expect(world.pushes.map(\.reason) == [.incomingPayment, .pendingSettlement])
    #expect(world.pushes.map(\.shown) == [1, 1])
    #expect(world.violation == nil)
  }
}
