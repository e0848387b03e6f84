import Ground
import Guardrails
import Testing
import Wallet

@testable import Simulation

/// Each check finds its violation.
@Suite("Checks of a world") struct CheckTests {
  /// A released app in the background, suspended with this order pending.
  private func suspended(with order: ContainerOrder, isFrozen: Bool = false) -> World {
    var world = World()
    world.make(.open)
    world.live(for: .seconds(10))
    world.make(.home)
    world.live(for: .seconds(2))
    world.lives.app?.value.orders = [.container(order)]
    if isFrozen { world.make(.freeze(.app)) }
    world.make(.timePasses(until: world.now + .seconds(4)))
    world.make(.phoneWakes)
    return world
  }

  @Test func `An app suspended during a claim or a log checkpoint is killed, which is a violation`()
    throws
  {
    let world = suspended(with: .guardrail(.settle))
    #expect(world.violation?.invariant == .releasedBeforeSuspension)
    #expect(world.life(.app) == nil)
    let claiming = suspended(with: .guardrail(.claim(seen: 1, reason: .holderDied)))
    #expect(claiming.violation?.invariant == .releasedBeforeSuspension)
  }

  @Test
  func `An app suspended before a beat, or frozen before a checkpoint, is not killed`() {
    let beat = ContainerOrder.guardrail(.beat(epoch: 1, phase: .established, counter: 1))
    for world in [suspended(with: beat), suspended(with: .guardrail(.settle), isFrozen: true)] {
      #expect(world.life(.app)?.isSuspended == true)
      #expect(world.violation == nil)
    }
  }

  @Test
  func `If the newest status is not shown, or not shown last, that is a violation`() {
    let shown: [WalletDirective] = [
      .phone(.guardrail(.show(.claiming))), .container(.guardrail(.look)), .phone(.guardrail(.show(.idle))),
      .container(.guardrail(.settle)),
    ]
    func violation(_ newest: Status, _ orders: [WalletDirective]) -> Invariant? {
      var world = World()
      world.checkShown(newest, orders)
      return world.violation?.invariant
    }
    #expect(violation(.idle, shown) == nil)
    #expect(violation(.claiming, shown) == .newestIsShown)
    #expect(violation(.idle, [.container(.guardrail(.look))]) == .newestIsShown)
  }
}
