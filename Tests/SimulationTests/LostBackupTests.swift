import Ground
import LightningProvider
import Testing

@testable import Simulation

/// A peer that stores backups late, and is restarted before it has stored the newest one.
@Suite("A backup lost with a restart of the peer") struct LostBackupTests {
  /// The extension has received a payment since the copy; the newest backup waits at the peer.
  private func paid(storageDelay: TimeSpan) -> World {
    var settings = ExploreSettings()
    settings.bounds = Bounds([.pushes: 1])
    settings.world.storageDelay = storageDelay
    var world = settings.startWorld()
    world.make(.copyDatabase)
    world.make(.pay(0))
    world.settle(until: { $0.payments[0].state == .paid && $0.peer.value.state.payments.isEmpty })
    return world
  }

  @Test func `Nothing is reported if a restart of the peer has lost the newest backup of an old copy`() {
    var world = paid(storageDelay: .seconds(60))
    #expect(world.peer.value.waitingBackup != nil)
    world.make(.restartPeer)
    #expect(!world.isStateLost, "the database is the newest")
    world.make(.restoreCopy)
    #expect(world.isStateLost)
    var healing = Healing(world, userStaysAway: false)
    #expect(healing.run(isKnown: { _ in false }) == nil)
    #expect(healing.hasFailed && healing.world.violation == nil)
    world.reportNotReceived("In 120 s without the user")
    #expect(world.violation == nil)
  }

  @Test func `A later backup ends the loss`() {
    var world = paid(storageDelay: .seconds(60))
    world.make(.restartPeer)
    #expect(world.hasLostBackup)
    world.make(.open)
    world.settle(until: { $0.isSettled })
    #expect(!world.hasLostBackup)
  }

  @Test
  func `If the peer has no backup of the newest state without a restart, the wallet's stop is reported`() {
    var world = paid(storageDelay: .zero)
    // As if the wallet had not sent it.
    var state = world.peer.value.state
    state.backup = nil
    world.wires.endAllForPeer()
    world.peer = Boxed(
      PeerMachine(
        configuration: .init(rules: world.settings.rules, startedAt: world.peerNow, state: state)))
    world.make(.restoreCopy)
    var healing = Healing(world, userStaysAway: false)
    #expect(healing.run(isKnown: { _ in false }) == nil)
    #expect(healing.world.violation?.invariant == .progress)
  }

  @Test func `A lost state does not count as one from which the wallet recovers`() {
    var explorer = Explorer(ExploreSettings())
    explorer.take([Explorer.Expansion(parent: 0, healed: [], isLost: true)])
    #expect(explorer.lost == 1 && explorer.healed == 0)
    explorer.take([Explorer.Expansion(parent: 0, healed: [])])
    #expect(explorer.lost == 1 && explorer.healed == 1)
  }
}
