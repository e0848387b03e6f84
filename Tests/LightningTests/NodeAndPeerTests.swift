import Ground
import Testing

@testable import Wallet
@testable import LightningProvider

@Suite("The wallet's node and its peer")
struct NodeAndPeerTests {
  @Test
  func `A payment without faults is received once and paid once`() throws {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.pay(0)
    world.settle()
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.paid == world.received)
    #expect(world.stored.channel?.localMsat == 1_000_001_000)
    #expect(world.troubles.isEmpty)
  }

  @Test
  func `A payment counts as arriving from the peer's offer, before any commitment, to its fulfilment`() throws
  {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.settle()
    world.pay(0)
    var counted: [[Bytes32]] = [[]]
    var saidAtFirst: [UInt16]?
    while world.moveSomething() {
      let arriving = world.node?.arriving ?? []
      if !arriving.isEmpty, saidAtFirst == nil { saidAtFirst = world.saidToPeer }
      if arriving != counted.last { counted.append(arriving) }
    }
    #expect(counted == [[], [world.invoices[0].paymentHash], []])
    // The wallet has not answered with `commitment_signed` or `revoke_and_ack` yet.
    #expect(saidAtFirst.map { !$0.contains(132) && !$0.contains(133) } == true)
    #expect(world.paid == [world.invoices[0].paymentHash])
  }

  @Test
  func `A payment held for an offline wallet is received by the next owner`() throws {
    var world = try NodeWorld(payments: 1)
    world.pay(0)
    world.claim()
    world.settle()
    #expect(world.paid == [world.invoices[0].paymentHash])
  }

  @Test
  func `After a handover request a new payment is left to the next owner`() throws {
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

  @Test
  func `A lost database is restored from the peer's backup, and the next payment succeeds`() throws {
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

  @Test
  func `A backup lost with its connection is sent again on the next one`() throws {
    var world = try NodeWorld(payments: 2)
    world.claim()
    world.settle()
    let old = world.stored
    world.pay(0)
    world.settle()
    // As if the backup had been lost in flight and the next connection had continued the channel.
    world.peer.state.backup = nil
    world.claim()
    world.settle()
    let newest = world.stored
    world.kill()
    world.stored = old
    world.claim()
    world.settle()
    #expect(world.stored.channel?.localMsat == newest.channel?.localMsat)
    #expect(world.troubles.isEmpty, "\(world.troubles)")
  }

  @Test
  func `With an old database and no backup the node reports the data loss, and its channel is unchanged`()
    throws
  {
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
    #expect(world.troubles.contains("the peer knows a newer state of the channel and has no backup of it"))
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
