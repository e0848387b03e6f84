import Ground
import Testing

@testable import Lightning

@Suite("The wallet's node and its peer")
struct NodeAndPeerTests {
  @Test("A payment with nobody in the way is received once and paid once")
  func plainPayment() throws {
    var world = try NodeWorld(seed: 1, payments: 1)
    world.faultsAreOn = false
    world.claim(leavingZombie: false)
    world.pay(0)
    settle(&world)
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.paid == world.received)
    #expect(world.stored.channel?.localMsat == 1_000_001_000)
    #expect(world.complaints.isEmpty)
  }

  @Test("A payment that came while nobody was connected is received by the next owner")
  func heldPayment() throws {
    var world = try NodeWorld(seed: 1, payments: 1)
    world.faultsAreOn = false
    world.pay(0)
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.paid == [world.invoices[0].paymentHash])
  }

  @Test("An owner that handed over leaves a new payment to the next one")
  func handover() throws {
    var world = try NodeWorld(seed: 1, payments: 1)
    world.faultsAreOn = false
    world.claim(leavingZombie: false)
    settle(&world)
    world.handle(.handoverRequested, by: world.owners[0].id)
    world.pay(0)
    settle(&world)
    #expect(world.received.isEmpty)
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.paid == world.received)
  }

  @Test("A lost database comes back from the peer's backup and goes on")
  func restore() throws {
    var world = try NodeWorld(seed: 1, payments: 2)
    world.faultsAreOn = false
    world.claim(leavingZombie: false)
    world.pay(0)
    settle(&world)
    world.kill(world.owners[0].id)
    let before = world.stored
    world.stored = NodeState()
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.stored.channel?.localMsat == before.channel?.localMsat)
    world.pay(1)
    settle(&world)
    #expect(world.paid.count == 2)
  }

  @Test(
    "A backup that was lost with its connection is made up for by the next one, so that it can be needed later"
  )
  func lostBackup() throws {
    var world = try NodeWorld(seed: 1, payments: 2)
    world.faultsAreOn = false
    world.claim(leavingZombie: false)
    settle(&world)
    let old = world.stored
    world.pay(0)
    settle(&world)
    // As if the connection had broken with the backup on its way, and the channel had gone on with the next one.
    world.peer.state.backup = nil
    world.claim(leavingZombie: false)
    settle(&world)
    let newest = world.stored
    world.kill(world.owners[0].id)
    world.stored = old
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.stored.channel?.localMsat == newest.channel?.localMsat)
    #expect(world.complaints.isEmpty, "\(world.complaints)")
  }

  @Test("An old database without any backup is silent instead of speaking from the past")
  func dataLoss() throws {
    var world = try NodeWorld(seed: 1, payments: 1)
    world.faultsAreOn = false
    world.claim(leavingZombie: false)
    settle(&world)
    let old = world.stored
    world.pay(0)
    settle(&world)
    world.kill(world.owners[0].id)
    world.stored = old
    world.peer = world.peer.withoutBackup
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.complaints.contains("the peer knows a newer state of the channel and has no backup of it"))
    #expect(world.stored.channel == old.channel)
  }

  @Test(
    "Deaths, zombies and blocked writes at any step: each payment once, on both sides",
    arguments: 0..<UInt64(400))
  func chaos(seed: UInt64) throws {
    var world = try NodeWorld(seed: seed, payments: 6)
    var nextPayment = 0
    for _ in 0..<600 {
      switch world.generator.below(24) {
      case 0: world.claim(leavingZombie: false)
      case 1: world.claim(leavingZombie: true)
      case 2 where nextPayment < 6:
        world.pay(nextPayment)
        nextPayment += 1
      case 3: _ = world.letTimePass()
      default: _ = world.moveSomething()
      }
    }
    while nextPayment < 6 {
      world.pay(nextPayment)
      nextPayment += 1
    }
    world.faultsAreOn = false
    world.claim(leavingZombie: true)
    settle(&world)
    let hashes = Set(world.invoices.map(\.paymentHash))
    #expect(world.failed == 0)
    #expect(Set(world.paid) == hashes && world.paid.count == 6)
    #expect(Set(world.received) == hashes && world.received.count == 6)
    #expect(world.stored.channel?.htlcs == [])
    #expect(!world.complaints.contains { $0.contains("data loss") || $0.contains("newer state") })
    #expect(world.owners.filter { $0.connection != nil }.count == 1)
  }

  private func settle(_ world: inout NodeWorld) {
    for _ in 0..<20_000 where !world.moveSomething() {
      let isDone = world.owners.allSatisfy { $0.machine.deadline == nil } && world.peer.deadline == nil
      if isDone || !world.letTimePass() { return }
    }
  }
}

extension PeerMachine {
  var withoutBackup: PeerMachine {
    var copy = self
    copy.state.backup = nil
    return copy
  }
}
