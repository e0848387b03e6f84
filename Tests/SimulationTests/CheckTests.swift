import Ground
import Guardrails
import Testing
import Wallet

@testable import Simulation

/// Each check is shown what it is to find.
@Suite("The checks of a world") struct CheckTests {
  /// In the background and released; then suspended with this still to do.
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

  @Test("Who is suspended while it settles the log is found, and killed for it") func settling() throws {
    let world = suspended(with: .settle)
    #expect(world.violation?.invariant == .releasedBeforeSuspension)
    #expect(world.life(.app) == nil)
    let claiming = suspended(with: .claim(seen: 1, reason: .holderGone))
    #expect(claiming.violation?.invariant == .releasedBeforeSuspension)
  }

  @Test("Who only reads when it is suspended, or was frozen before it could settle, holds no lock")
  func noLock() {
    for world in [suspended(with: .look), suspended(with: .settle, isFrozen: true)] {
      #expect(world.life(.app)?.isSuspended == true)
      #expect(world.violation == nil)
    }
  }

  @Test("An older status that is shown behind the newest one is found, and one that is not shown at all")
  func newestStatus() {
    let shown: [WalletDirective] = [
      .phone(.show(.claiming)), .container(.look), .phone(.show(.idle)), .container(.settle),
    ]
    func violation(_ newest: Status, _ orders: [WalletDirective]) -> Invariant? {
      var world = World()
      world.checkShown(newest, orders)
      return world.violation?.invariant
    }
    #expect(violation(.idle, shown) == nil)
    #expect(violation(.claiming, shown) == .newestIsShown)
    #expect(violation(.idle, [.container(.look)]) == .newestIsShown)
  }
}
