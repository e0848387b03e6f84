import Ground
import Testing

@testable import LightningNode
@testable import LightningProvider

@Suite("The wallet's node and its peer")
struct NodeAndPeerTests {
  @Test("A payment with nobody in the way is received once and paid once")
  func plainPayment() throws {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.pay(0)
    world.settle()
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.paid == world.received)
    #expect(world.stored.channel?.localMsat == 1_000_001_000)
    #expect(world.complaints.isEmpty)
  }

  @Test("A payment that came while nobody was connected is received by the next owner")
  func heldPayment() throws {
    var world = try NodeWorld(payments: 1)
    world.pay(0)
    world.claim()
    world.settle()
    #expect(world.paid == [world.invoices[0].paymentHash])
  }

  @Test("An owner that handed over leaves a new payment to the next one")
  func handover() throws {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.settle()
    world.handle(.handoverRequested)
    world.pay(0)
    world.settle()
    #expect(world.received.isEmpty)
    world.claim()
    world.settle()
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.paid == world.received)
  }

  @Test("A lost database comes back from the peer's backup and goes on")
  func restore() throws {
    var world = try NodeWorld(payments: 2)
    world.claim()
    world.pay(0)
    world.settle()
    world.kill()
    let before = world.stored
    world.stored = NodeState()
    world.claim()
    world.settle()
    #expect(world.stored.channel?.localMsat == before.channel?.localMsat)
    world.pay(1)
    world.settle()
    #expect(world.paid.count == 2)
  }

  @Test(
    "A backup that was lost with its connection is made up for by the next one, so that it can be needed later"
  )
  func lostBackup() throws {
    var world = try NodeWorld(payments: 2)
    world.claim()
    world.settle()
    let old = world.stored
    world.pay(0)
    world.settle()
    // As if the connection had broken with the backup on its way, and the channel had gone on with the next one.
    world.peer.state.backup = nil
    world.claim()
    world.settle()
    let newest = world.stored
    world.kill()
    world.stored = old
    world.claim()
    world.settle()
    #expect(world.stored.channel?.localMsat == newest.channel?.localMsat)
    #expect(world.complaints.isEmpty, "\(world.complaints)")
  }

  @Test("An old database without any backup is silent instead of speaking from the past")
  func dataLoss() throws {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.settle()
    let old = world.stored
    world.pay(0)
    world.settle()
    world.kill()
    world.stored = old
    world.peer = world.peer.withoutBackup
    world.claim()
    world.settle()
    #expect(world.complaints.contains("the peer knows a newer state of the channel and has no backup of it"))
    #expect(world.stored.channel == old.channel)
  }
}

extension PeerMachine {
  var withoutBackup: PeerMachine {
    var copy = self
    copy.state.backup = nil
    return copy
  }
}
