@testable import Lightning
@testable import Wallet
@testable import LightningProvider

/// The wallet's node with a peer that stores backups late: the peer returns a backup older than the channel.
@Suite("A peer that stores backups late") struct LateBackupTests {
  private static let initType: UInt16 = 16

  /// A wallet that was paid, killed, and started again within the peer's 10 s. `lost`: what its database has then.
  private func world(_ lose: (inout NodeWorld, NodeState) -> Void) throws -> NodeWorld {
    var world = try NodeWorld(payments: 2)
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, storageDelay: .seconds(10), startedAt: world.now, state: world.peer.state))
    world.claimAndDeliver()
    // The first backup, which the peer stores at once.
    world.payAndDeliver(0)
    expect(world.paid, is: [world.invoices[0].paymentHash])
    #expect(world.peer.waitingBackup != nil && world.peer.state.backup != nil)
    let before = world.stored
    world.kill()
    world.saidToPeer = []
    lose(&world, before)
    world.claimAndDeliver()
    return world
  }

  /// The channel as it was before the payment.
  private func outdated(_ state: NodeState) throws -> NodeState {
    var fresh = try NodeWorld(payments: 2)
    fresh.claimAndDeliver()
    expect(state.channel?.isNewer(than: fresh.stored.channel), is: true)
    return fresh.stored
  }

  @Test func `With its database the wallet connects at once, and sends its newer backup again`() throws {
    var world = try world { _, _ in }
    #expect(world.node?.stage == .established && world.troubles.isEmpty)
    world.payAndSettle(1)
    expect(world.paid.count, is: 2)
    guard case .backup(let kept)? = world.peer.state.backup.map({ NodeBackup.read($0.array) }) else {
      return #expect(Bool(false))
    }
    expect(kept.channel.record, is: world.stored.channel?.record)
  }

  @Test func `An old database and an older backup: nothing is stored or sent until the newer backup comes`()
    throws
  {
    var outdated: NodeState?
    var world = try world { world, state in
      outdated = try? self.outdated(state)
      world.stored = outdated ?? state
    }
    expect(world.troubles, is: [NodeMachine.backupIsLate])
    expect(world.stored, is: outdated, "the older backup is not adopted either")
    expect(Set(world.saidToPeer), is: [Self.initType], "nothing else is sent")
    world.settle()
    expect(world.stored.channel?.localMsat, is: 1_000_001_000)
    expect(Set(world.troubles), is: [NodeMachine.backupIsLate])
    world.payAndSettle(1)
    expect(world.paid.count, is: 2)
  }

  @Test func `A lost database is restored from the backup that the peer stores later`() throws {
    var world = try world { world, _ in world.loseDatabase() }
    #expect(world.stored.channel == nil && world.troubles == [NodeMachine.backupIsLate])
    world.settle()
    expect(world.stored.channel?.localMsat, is: 1_000_001_000)
    expect(world.node?.stage, is: .established)
  }

  @Test
  func `If the peer loses the newer backup, the wallet keeps dialling and sends nothing of the channel`()
    throws
  {
    var world = try world { world, state in
      world.stored = (try? self.outdated(state)) ?? state
      world.peer = PeerMachine(
        configuration: .init(
          rules: NodeWorld.rules, storageDelay: .seconds(10), startedAt: world.now, state: world.peer.state))
    }
    let before = world.stored
    for _ in 0..<20 {
      _ = world.letTimePass()
      world.deliver()
    }
    #expect(world.connections > 10 && Set(world.troubles) == [NodeMachine.backupIsLate])
    #expect(world.stored == before && Set(world.saidToPeer) == [Self.initType])
  }

  @Test func `A peer that has no backup yet is dialled again until it returns one`() throws {
    var world = try world { world, _ in
      world.loseDatabase()
      world.peer.state.backup = nil
    }
    #expect(world.stored.channel == nil)
    for _ in 0..<2 where world.troubles.isEmpty { _ = world.letTimePass() }
    expect(world.troubles, is: [NodeMachine.peerIsAhead])
    world.settle()
    expect(world.stored.channel?.localMsat, is: 1_000_001_000)
    expect(world.node?.stage, is: .established)
  }

  @Test(arguments: [false, true])
  func `A backup without the splice that the peer is bound to is outdated`(needsCommitment: Bool) throws {
    var peer = try Channel(id: channelID, localMsat: 1_000_000, remoteMsat: 0, isOpener: true)
    let backup = try Channel(id: channelID, localMsat: 0, remoteMsat: 1_000_000, isOpener: false)
    guard case .channelReestablish(var theirs) = peer.reestablish() else { return #expect(Bool(false)) }
    #expect(!backup.isBehind(theirs))
    theirs.nextFunding = NextFunding(
      transaction: TransactionID(hash: paymentHash(1)), needsCommitment: needsCommitment)
    // Until it has the wallet's commitment, the peer is not bound.
    #expect(backup.isBehind(theirs) != needsCommitment)
  }
}
