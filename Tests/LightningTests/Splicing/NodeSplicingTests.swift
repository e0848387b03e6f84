import Ground
import Crypto
import Testing

@testable import Lightning

@Suite("The node and splices") struct NodeSplicingTests {
  private static let request = SpliceRequest(amountSat: 4000, script: targetScript)
  private static var totalMsat: UInt64 { (4000 + request.feeSat) * 1000 }

  private func world(_ seed: UInt64 = 1, delay: TimeSpan = .zero, peerSplices: Bool = true) throws
    -> NodeWorld
  {
    var world = try NodeWorld(seed: seed, payments: 2)
    world.faultsAreOn = false
    world.splices = true
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, fundingKey: peerSplices ? providerSide.key : nil, spliceDelay: delay,
        startedAt: world.now, state: world.peer.state))
    return world
  }

  private let splicing = NodeActivity(isSplicing: true)

  private func settle(_ world: inout NodeWorld) {
    for _ in 0..<20_000 where !world.moveSomething() {
      let isDone = world.owners.allSatisfy { $0.machine.deadline == nil } && world.peer.deadline == nil
      if isDone || !world.letTimePass() { return }
    }
  }

  /// Until nothing is on any wire, and no time passes.
  private func deliver(_ world: inout NodeWorld) {
    for _ in 0..<20_000 where !world.moveSomething() { return }
  }

  private func connect(_ world: inout NodeWorld) {
    world.claim(leavingZombie: false)
    settle(&world)
  }

  private func ask(_ world: inout NodeWorld, _ request: SpliceRequest = request) {
    guard let owner = world.owners.last?.id else { return }
    world.handle(.spliceRequested(request), by: owner)
  }

  private func isDone(_ world: NodeWorld) -> Bool {
    guard let channel = world.stored.channel, let id = world.splicesBegun.first else { return false }
    return world.splicesEnded == [.init(id: id, end: .done)] && channel.funding.transaction == id
      && channel.funding == world.peer.state.channel.funding && channel.mayUpdate
      && channel.localMsat == ChannelTerms.standard.walletMsat - Self.totalMsat
      && world.peer.state.channel.remoteMsat == channel.localMsat
  }

  @Test("Money leaves the channel; both have it, who asked is told when it begins and when it is over")
  func done() throws {
    var world = try world()
    connect(&world)
    ask(&world)
    settle(&world)
    #expect(isDone(world) && world.refusals == [] && world.complaints == [])
    #expect(world.news.filter { $0 == .busy(splicing) }.count == 1)
    #expect(world.news.last == .busy(.nothing))
  }

  @Test("The wallet is bound to nothing that is not durable, and its backup goes out first")
  func durableFirst() throws {
    var world = try world()
    connect(&world)
    ask(&world)
    var written: [NodeDirective] = []
    for _ in 0..<100 where written.isEmpty {
      guard let wire = world.wires.values.first, let message = wire.toWallet.first else {
        _ = world.moveSomething()
        continue
      }
      var node = world.owners[0].machine
      let directives = node.handle(.received(message), at: world.now)
      if case .write(let change, _)? = directives.first {
        #expect(directives.count == 1 && change.channel?.pendingSplice?.stage == .signing)
        written = node.handle(.written, at: world.now)
      }
      _ = world.moveSomething()
    }
    guard case .send(let outgoing)? = written.first else { return #expect(written == []) }
    guard case .backup(let backup)? = outgoing.first else { return #expect(outgoing == []) }
    #expect(backup.channel.pendingSplice != nil)
    let types = outgoing.dropFirst().map { said -> UInt16 in
      if case .channel(.message(let message)) = said { message.type } else { 0 }
    }
    #expect(types == [70, 132])
    #expect(written.contains { if case .spliceBegun = $0 { true } else { false } })
  }

  @Test("A peer that does not splice is asked for nothing")
  func noFeature() throws {
    var world = try world(peerSplices: false)
    connect(&world)
    ask(&world)
    settle(&world)
    #expect(world.refusals == [NodeMachine.doesNotSplice])
    #expect(world.stored.channel?.funding.transaction.hash == world.peer.state.channel.id)
  }

  @Test("A second one is refused while one is under way, and so is one without a node or a peer")
  func refused() throws {
    var world = try world(delay: .seconds(3))
    world.claim(leavingZombie: false)
    ask(&world)
    ask(&world)
    #expect(world.refusals == [NodeMachine.spliceUnderWay])
    deliver(&world)
    ask(&world)
    #expect(world.refusals == [NodeMachine.spliceUnderWay, NodeMachine.spliceUnderWay])
    settle(&world)
    #expect(isDone(world))
    var node = NodeMachine(configuration: .init(fundingKey: walletSide.key))
    guard
      case .spliceRefused(let sentence)? = node.handle(.spliceRequested(Self.request), at: world.now).first
    else { return #expect(Bool(false)) }
    #expect(sentence.hasPrefix(NodeMachine.notHeld))
    _ = node.handle(
      .started(fence(1), NodeState()), at: world.now)
    #expect(node.handle(.spliceRequested(Self.request), at: world.now) == [])
    let late = world.now + .seconds(5)
    #expect(node.deadline.map { $0 <= late } == true)
    #expect(node.handle(.deadlineReached, at: late).contains(.spliceRefused(NodeMachine.spliceInVain)))
  }

  @Test("A connection that ends before anything is signed leaves nothing, and the person reads so")
  func lostEarly() throws {
    var world = try world()
    connect(&world)
    ask(&world)
    let owner = try #require(world.owners.first)
    world.wires[try #require(owner.connection)]?.toPeer = []
    world.handle(.closed("the network is gone"), by: owner.id)
    #expect(world.refusals == [NodeMachine.spliceLost])
    settle(&world)
    #expect(world.splicesBegun == [] && world.stored.channel?.pendingSplice == nil)
    ask(&world)
    settle(&world)
    #expect(isDone(world))
  }

  @Test("Whoever owns the node next ends what is half-way, and begins nothing")
  func nextOwner() throws {
    var world = try world(delay: .seconds(3))
    connect(&world)
    ask(&world)
    deliver(&world)
    #expect(world.stored.channel?.pendingSplice != nil && world.peer.state.channel.pendingSplice != nil)
    world.news = []
    world.claim(leavingZombie: true)
    settle(&world)
    #expect(isDone(world))
    #expect(world.splicesBegun.count == 1)
    // The zombie has the last word, and it is about its claim.
    let said = world.news.filter { $0 == .busy(splicing) || $0 == .busy(.nothing) }
    #expect(said == [.busy(splicing), .busy(.nothing)], "\(world.news)")
  }

  @Test("Payments both ways wait until it is over")
  func payments() throws {
    var world = try world(delay: .seconds(3))
    connect(&world)
    ask(&world)
    deliver(&world)
    world.pay(0)
    world.invoiceElsewhere(0)
    world.send(0)
    deliver(&world)
    #expect(world.received == [] && world.stored.channel?.htlcs == [])
    settle(&world)
    #expect(world.splicesEnded.map(\.end) == [.done])
    #expect(world.received == [world.invoices[0].paymentHash])
    #expect(world.sent.arrived == [SentPayments.invoice(0).paymentHash])
  }

  @Test("A payment of the wallet's own that has waited 5 s is refused, with the reason")
  func paymentInVain() throws {
    var world = try world(delay: .seconds(8))
    connect(&world)
    ask(&world)
    deliver(&world)
    world.invoiceElsewhere(0)
    world.send(0)
    settle(&world)
    #expect(world.refusals == [NodeMachine.payDuringSplice])
    #expect(isDone(world))
  }

  @Test("A peer that says nothing for 30 s is given up, and the next connection goes on")
  func stalled() throws {
    var world = try world(delay: .seconds(40))
    connect(&world)
    ask(&world)
    deliver(&world)
    let owner = try #require(world.owners.first?.id)
    world.now = world.now + .seconds(30)
    world.handle(.deadlineReached, by: owner)
    #expect(world.complaints.contains("the peer got no further with a splice in 30 s"))
    #expect(world.refusals == [] && world.stored.channel?.pendingSplice != nil)
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, fundingKey: providerSide.key, startedAt: world.now, state: world.peer.state))
    world.wires = [:]
    settle(&world)
    #expect(isDone(world))
  }

  @Test("A database that is lost half-way comes back with the backup, and the splice with it")
  func restored() throws {
    var world = try world(delay: .seconds(3))
    connect(&world)
    ask(&world)
    deliver(&world)
    #expect(world.peer.state.channel.pendingSplice != nil)
    world.stored = NodeState()
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(isDone(world))
  }

  @Test("Who wants one while the backup of another comes back is refused, and is not told of that one")
  func wantedDuringRestore() throws {
    var world = try world(delay: .seconds(3))
    connect(&world)
    ask(&world)
    deliver(&world)
    let first = world.splicesBegun
    world.stored = NodeState()
    world.claim(leavingZombie: false)
    ask(&world, SpliceRequest(amountSat: 9000, script: targetScript))
    settle(&world)
    #expect(world.refusals == [NodeMachine.spliceUnderWay])
    #expect(world.splicesBegun == first && isDone(world))
  }

  @Test("A peer that takes longer than the wallet waits does so once: the next connection brings it on")
  func slowPeer() throws {
    var world = try world(delay: .seconds(40))
    connect(&world)
    ask(&world)
    settle(&world)
    #expect(world.complaints.contains("the peer got no further with a splice in 30 s"))
    #expect(isDone(world))
  }

  @Test("A peer that gives up what the wallet is bound to: it is forgotten, and nobody is kept awake for it")
  func givenUpByThePeer() throws {
    var world = try world(delay: .seconds(3))
    connect(&world)
    ask(&world)
    deliver(&world)
    let owner = try #require(world.owners.first?.id)
    #expect(world.news.last == .busy(splicing))
    let word = TransactionAbort(channel: world.peer.state.channel.id, text: "no")
    world.handle(.received(.transactionAbort(word)), by: owner)
    #expect(world.splicesEnded.map(\.end) == [.forgotten])
    #expect(world.stored.channel?.pendingSplice == nil)
    #expect(world.news.contains(.busy(.nothing)))
  }

  @Test("In 200 runs of owners that die anywhere each splice is done or nothing, and both ends agree")
  func storms() throws {
    var done = 0
    for seed in UInt64(1)...200 {
      var world = try world(seed)
      world.faultsAreOn = true
      for round in 0..<6 {
        world.claim(leavingZombie: world.generator.oneIn(3))
        for step in 0..<60 {
          if step == world.generator.below(20) { ask(&world) }
          if !world.moveSomething(), !world.letTimePass() { break }
        }
        if round == 3 { world.pay(0) }
      }
      world.faultsAreOn = false
      world.claim(leavingZombie: false)
      settle(&world)
      // As another process would read it: what is said on a connection is not in the database.
      let wallet = try Channel(restoring: try #require(world.stored.channel?.record, "seed \(seed)"))
      #expect(world.owners.last?.machine.channel?.mayUpdate == true, "seed \(seed)")
      let peer = world.peer.state.channel
      #expect(wallet.funding == peer.funding && wallet.mayUpdate && peer.mayUpdate, "seed \(seed)")
      #expect(wallet.localMsat == peer.remoteMsat && wallet.remoteMsat == peer.localMsat, "seed \(seed)")
      #expect(!world.complaints.contains { $0.hasPrefix("data loss") }, "seed \(seed)")
      let before = ChannelTerms.standard
      let taken = before.walletMsat + before.providerMsat - wallet.capacityMsat
      #expect(taken.isMultiple(of: Self.totalMsat), "seed \(seed)")
      done += Int(taken / Self.totalMsat)
    }
    #expect(done > 100)
  }
}
