@testable import Wallet
@testable import LightningProvider

/// The wallet moves from device A to device B and back, and device A has a step that it committed and never sent.
@Suite("The node's state after a move to another device and back") struct MovedBackTests {
  enum Backups: CaseIterable {
    /// The peer has no backup of device A, and stores each at once.
    case none
    case atOnce
    /// Device B's first backup is stored at once, and its second one late.
    case late
  }

  private func world(_ backups: Backups) throws -> NodeWorld {
    var world = try NodeWorld(payments: 2)
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, storageDelay: backups == .late ? .seconds(60) : .zero, startedAt: world.now,
        state: world.peer.state))
    world.claimAndDeliver()
    if backups != .none { world.pay(0) }
    world.settle()
    // The delay after device A's last backup is over.
    if backups == .late { world.now = world.now + .seconds(61) }
    return world
  }

  /// Device A's database with a payment that was never offered to the peer, and the world without a process.
  private func unsent(_ world: inout NodeWorld) -> NodeState {
    world.externalInvoice(0)
    world.externalInvoice(1)
    world.failsOnce = { _ in .behindCommit }
    world.send(0)
    world.kill()
    return world.stored
  }

  /// Device B adopts the backup, and offers a payment; it ends when the peer has processed `messages` of its messages.
  private func useOther(_ world: inout NodeWorld, messages: Int) {
    world.loseDatabase()
    world.claim(moving: true)
    world.deliver()
    while world.node?.stage != .established, world.letTimePass() { world.deliver() }
    expect(world.node?.stage, is: .established)
    world.send(1)
    for _ in 0..<messages { _ = world.moveSomething() }
    // What is on its way is lost.
    world.wire?.toPeer = []
    world.kill()
  }

  @Test(arguments: 1..<12, Backups.allCases)
  func `Back on device A the node adopts the state of device B, and drops the step that it never sent`(
    messages: Int, backups: Backups
  ) throws {
    var world = try world(backups)
    let onA = unsent(&world)
    #expect(onA.channel?.htlcs.count == 1 && world.peer.state.channel.record.htlcs.isEmpty)
    useOther(&world, messages: messages)
    let peerHasPayment = !world.peer.state.channel.record.htlcs.isEmpty
    world.stored = onA
    world.claim(moving: true)
    world.settle()
    expect(world.node?.stage, is: .established)
    expect(Set(world.troubles).subtracting([NodeMachine.backupIsLate]), is: ["the disk"])
    let wallet = try #require(world.stored.channel), peer = world.peer.state.channel
    #expect(wallet.htlcs.isEmpty && peer.htlcs.isEmpty)
    #expect(wallet.localMsat == peer.remoteMsat && wallet.remoteMsat == peer.localMsat)
    if peerHasPayment {
      expect(
        world.sent.arrived, is: [SentPayments.invoice(1).paymentHash], "only device B's payment was sent")
    }
  }

  @Test func `Each owner's revisions are above those of an owner before it on another device`() throws {
    var world = try NodeWorld.connected(payments: 2)
    world.payAndSettle(0)
    let onA = world.stored
    let backup = world.peer.state.backup
    world.loseDatabase()
    world.claimAndSettle()
    let onB = world.stored
    // The peer has not stored device B's backup yet, so device A goes on from its own state.
    world.stored = onA
    world.peer.state.backup = backup
    world.claim()
    world.payAndSettle(1)
    #expect(try #require(onB.channel?.revision) < #require(world.stored.channel?.revision))
    world.stored = onB
    world.claimAndSettle()
    #expect(world.node?.stage == .established && world.troubles == [])
    expect(world.stored.channel?.localMsat, is: world.peer.state.channel.remoteMsat)
  }
}
