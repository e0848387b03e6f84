@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("The node's splices") struct NodeSplicingTests {
  private static let request = SpliceRequest(amountSat: 4000, script: targetScript)
  private static var totalMsat: UInt64 { (4000 + request.feeSat) * 1000 }

  private func world(delay: TimeSpan = .zero, peerSplices: Bool = true) throws -> NodeWorld {
    var world = try NodeWorld(payments: 2)
    world.splices = true
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, fundingKey: peerSplices ? providerSide.key : nil, spliceDelay: delay,
        startedAt: world.now, state: world.peer.state))
    return world
  }

  private let splicing = NodeActivity(isSplicing: true)

  /// The owner is connected, and its user has asked for a splice.
  private func asked(delay: TimeSpan = .zero, peerSplices: Bool = true) throws -> NodeWorld {
    var world = try world(delay: delay, peerSplices: peerSplices)
    world.claimAndSettle()
    ask(&world)
    return world
  }

  /// The LSP waits before it signs.
  private func begun(delay: TimeSpan) throws -> NodeWorld {
    var world = try asked(delay: delay)
    world.deliver()
    return world
  }

  private func ask(_ world: inout NodeWorld, _ request: SpliceRequest = request) {
    world.handle(.spliceRequested(request))
  }

  private func isDone(_ world: NodeWorld) -> Bool {
    guard let channel = world.stored.channel, let id = world.splicesBegun.first else { return false }
    return world.splicesEnded == [.init(id: id, end: .done)] && channel.funding.transaction == id
      && channel.funding == world.peer.state.channel.funding && channel.mayUpdate
      && channel.localMsat == ChannelTerms.standard.walletMsat - Self.totalMsat
      && world.peer.state.channel.remoteMsat == channel.localMsat
  }

  @Test
  func `A splice-out completes; the node reports once that it splices, at last that it is idle`() throws {
    var world = try asked()
    world.settle()
    #expect(isDone(world) && world.refusals == [] && world.troubles == [])
    expect(world.news.filter { $0 == .busy(splicing) }.count, is: 1)
    expect(world.news.last, is: .busy(.nothing))
  }

  @Test func `A splice is stored, and its backup sent, before the wallet sends commitment_signed`() throws {
    var world = try asked()
    var written: [NodeDirective] = []
    for _ in 0..<100 where written.isEmpty {
      guard let message = world.wire?.toWallet.first else {
        _ = world.moveSomething()
        continue
      }
      var node = try #require(world.node)
      let directives = node.handle(.received(message), at: world.now)
      if case .write(let change, _)? = directives.first {
        #expect(directives.count == 1 && change.channel?.pendingSplice?.stage == .signing)
        written = node.handle(.written, at: world.now)
      }
      _ = world.moveSomething()
    }
    guard case .send(let outgoing)? = written.first else { return expect(written, is: []) }
    guard case .backup(let blob)? = outgoing.first, case .backup(let backup) = NodeBackup.read(blob.array)
    else { return expect(outgoing, is: []) }
    #expect(backup.channel.pendingSplice != nil)
    let types = outgoing.dropFirst().map { said -> UInt16 in
      if case .channel(.message(let message)) = said { message.type } else { 0 }
    }
    expect(types, is: [70, 132])
    #expect(written.contains { if case .spliceBegun = $0 { true } else { false } })
  }

  @Test func `A splice is refused when the peer does not offer splicing`() throws {
    var world = try asked(peerSplices: false)
    world.settle()
    expect(world.refusals, is: [NodeMachine.doesNotSplice])
    expect(world.stored.channel?.funding.transaction.hash, is: world.peer.state.channel.id)
  }

  @Test
  func `A splice is refused while another is pending, before the node's start, and after 5 s offline`() throws
  {
    var world = try world(delay: .seconds(3))
    world.claim()
    ask(&world)
    ask(&world)
    expect(world.refusals, is: [NodeMachine.spliceUnderWay])
    world.deliver()
    ask(&world)
    expect(world.refusals, is: [NodeMachine.spliceUnderWay, NodeMachine.spliceUnderWay])
    world.settle()
    #expect(isDone(world))
    var node = NodeMachine(configuration: .init(fundingKey: walletSide.key))
    expect(node.handle(.spliceRequested(Self.request), at: world.now), is: [.spliceRefused(.notHeld)])
    _ = node.handle(.started(fence(1), NodeState()), at: world.now)
    expect(node.handle(.spliceRequested(Self.request), at: world.now), is: [])
    let late = world.now + .seconds(5)
    expect(node.deadline.map { $0 <= late }, is: true)
    #expect(
      node.handle(.deadlineReached, at: late).contains(.spliceRefused(.because(NodeMachine.spliceTimedOut))))
  }

  @Test func `A disconnect before signing refuses the request and leaves no splice`() throws {
    var world = try asked()
    world.breakWire()
    expect(world.refusals, is: [NodeMachine.spliceLost])
    world.settle()
    #expect(world.splicesBegun == [] && world.stored.channel?.pendingSplice == nil)
    ask(&world)
    world.settle()
    #expect(isDone(world))
  }

  @Test func `The next owner completes a pending splice and begins no other`() throws {
    var world = try begun(delay: .seconds(3))
    #expect(world.stored.channel?.pendingSplice != nil && world.peer.state.channel.pendingSplice != nil)
    world.news = []
    world.claimAndSettle()
    #expect(isDone(world))
    expect(world.splicesBegun.count, is: 1)
    let said = world.news.filter { $0 == .busy(splicing) || $0 == .busy(.nothing) }
    expect(said, is: [.busy(splicing), .busy(.nothing)], "\(world.news)")
  }

  @Test func `Payments in both directions wait until the splice is done`() throws {
    var world = try begun(delay: .seconds(3))
    world.pay(0)
    world.externalInvoice(0)
    world.send(0)
    world.deliver()
    #expect(world.received == [] && world.stored.channel?.htlcs == [])
    world.settle()
    expect(world.splicesEnded.map(\.end), is: [.done])
    expect(world.received, is: [world.invoices[0].paymentHash])
    expect(world.sent.arrived, is: [SentPayments.invoice(0).paymentHash])
  }

  @Test func `An outgoing payment that waited 5 s for a splice is refused with that reason`() throws {
    var world = try begun(delay: .seconds(8))
    world.externalInvoice(0)
    world.sendAndSettle(0)
    expect(world.refusals, is: [NodeMachine.payDuringSplice])
    #expect(isDone(world))
  }

  @Test
  func
    `A peer that stalls a splice for 30 s is disconnected; after the peer's restart the splice completes`()
    throws
  {
    var world = try begun(delay: .seconds(40))
    world.now = world.now + .seconds(30)
    world.handle(.deadlineReached)
    #expect(world.troubles.contains("a splice made no progress in 30 s"))
    #expect(world.refusals == [] && world.stored.channel?.pendingSplice != nil)
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, fundingKey: providerSide.key, startedAt: world.now, state: world.peer.state))
    world.wire = nil
    world.settle()
    #expect(isDone(world))
  }

  @Test func `A splice requested while another is restored from the peer's backup is refused`() throws {
    var world = try begun(delay: .seconds(3))
    let first = world.splicesBegun
    world.stored = NodeState()
    world.claim()
    ask(&world, SpliceRequest(amountSat: 9000, script: targetScript))
    world.settle()
    expect(world.refusals, is: [NodeMachine.spliceUnderWay])
    #expect(world.splicesBegun == first && isDone(world))
  }

  @Test
  func `A tx_abort from the peer ends the wallet's pending splice, and the node reports that it is idle`()
    throws
  {
    var world = try begun(delay: .seconds(3))
    expect(world.news.last, is: .busy(splicing))
    let abort = TransactionAbort(channel: world.peer.state.channel.id, text: "no")
    world.handle(.received(.transactionAbort(abort)))
    expect(world.splicesEnded.map(\.end), is: [.forgotten])
    #expect(world.stored.channel?.pendingSplice == nil)
    #expect(world.news.contains(.busy(.nothing)))
  }
}
