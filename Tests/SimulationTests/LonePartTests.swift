import Ground
import Guardrails
import Heartbeat
import Testing

@testable import Simulation

@Suite("A lone part of a payment, with the app closed") struct LonePartTests {
  @Test
  func
    `If only one of two parts arrives, it is failed after a minute, and the user sees two notifications`()
    throws
  {
    var world = try World.withAClosedApp()
    world.make(.payPart(0, part: 1, of: 2))
    world.live(for: .seconds(59))
    #expect(world.payments.map(\.state) == [.underWay])
    #expect(world.container.value.node.channel?.htlcs.count == 1)
    world.live(for: .seconds(16))
    #expect(world.payments.map(\.state) == [.failed])
    #expect(world.container.value.node.channel?.htlcs == [] && world.container.value.waits == [])
    // No further push is sent for the failed part.
    world.live(for: .seconds(600))
    #expect(world.pushes.map(\.reason) == [.incomingPayment, .pendingSettlement])
    #expect(world.pushes.map(\.shown) == [1, 1])
    #expect(world.violation == nil)
  }
}
