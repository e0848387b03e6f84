@testable import Lightning
@testable import LightningProvider
@testable import Wallet

@Suite("The wallet's node and its peer") struct NodeAndPeerTests {
  @Test func `A payment counts as arriving from the peer's offer, before any commitment, to its fulfilment`()
    throws
  {
    var world = try NodeWorld.connected(payments: 1)
    world.pay(0)
    var counted: [[Bytes32]] = [[]]
    var saidAtFirst: [UInt16]?
    while world.moveSomething() {
      let arriving = world.node?.arriving ?? []
      if !arriving.isEmpty, saidAtFirst == nil { saidAtFirst = world.saidToPeer }
      if arriving != counted.last { counted.append(arriving) }
    }
    expect(counted, is: [[], [world.invoices[0].paymentHash], []])
    // The wallet has not answered with `commitment_signed` or `revoke_and_ack` yet.
    expect(saidAtFirst.map { !$0.contains(132) && !$0.contains(133) }, is: true)
    expect(world.paid, is: [world.invoices[0].paymentHash])
  }

  @Test func `After a handover request a new payment is left to the next owner`() throws {
    var world = try NodeWorld.connected(payments: 1)
    world.handle(.handoverRequested)
    world.payAndSettle(0)
    #expect(world.received.isEmpty)
    world.claimAndSettle()
    expect(world.received, is: [world.invoices[0].paymentHash])
    expect(world.paid, is: world.received)
  }

  @Test func `A backup lost with its connection is sent again on the next one`() throws {
    var world = try NodeWorld.connected(payments: 2)
    let old = world.stored
    world.payAndSettle(0)
    // As if the backup had been lost in flight and the next connection had continued the channel.
    world.peer.state.backup = nil
    world.claimAndSettle()
    let newest = world.stored
    world.kill()
    world.stored = old
    world.claimAndSettle()
    expect(world.stored.channel?.localMsat, is: newest.channel?.localMsat)
    #expect(world.troubles.isEmpty, "\(world.troubles)")
  }

  @Test
  func `With an old database and no backup the node reports the data loss, and its channel is unchanged`()
    throws
  {
    var world = try NodeWorld.connected(payments: 1)
    let old = world.stored
    world.payAndSettle(0)
    world.kill()
    world.stored = old
    world.peer = world.peer.withoutBackup
    world.claimAndSettle()
    #expect(world.troubles.contains("the peer knows a newer state of the channel and has no backup of it"))
    expect(world.stored.channel, is: old.channel)
  }
}

extension PeerMachine {
  var withoutBackup: PeerMachine {
    var copy = self
    copy.state.backup = nil
    return copy
  }
}

@Suite("The wallet's node machine") struct NodeMachineTests {
  private let start = Instant(nanoseconds: 0)
  private let invoice = Invoice(
    paymentHash: SHA256.hash([1]), amountMsat: 1000, text: "", tweak: SHA256.hash([2]), expiresAt: 0)

  private func dialling() -> NodeMachine {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(fence(1), NodeState()), at: start)
    _ = node.handle(.rowRead(row(1)), at: start)
    return node
  }

  @Test
  func `Over Tor the dial and init timeouts are three times as long, the pauses between dials the same`() {
    func bounds(_ configuration: NodeMachine.Configuration) -> [TimeSpan] {
      var node = NodeMachine(configuration: configuration)
      var now = start
      _ = node.handle(.started(fence(1), NodeState()), at: now)
      var spans: [TimeSpan] = []
      for _ in 0..<7 {
        _ = node.handle(.rowRead(row(1)), at: now)
        spans.append((node.deadline ?? now) - now)
        _ = node.handle(.dialled, at: now)
        spans.append((node.deadline ?? now) - now)
        now = node.deadline ?? now
        _ = node.handle(.deadlineReached, at: now)
        spans.append((node.deadline ?? now) - now)
        now = node.deadline ?? now
        _ = node.handle(.deadlineReached, at: now)
      }
      return spans
    }
    let seconds: [(dial: Int64, initMessage: Int64)] = [
      (1, 2), (2, 4), (4, 7), (7, 10), (10, 15), (10, 15), (10, 15),
    ]
    for (configuration, factor) in [
      (NodeMachine.Configuration(), 1), (.init(overTor: false), 1), (.init(overTor: true), 3),
    ] as [(NodeMachine.Configuration, Int64)] {
      let expected = zip(seconds, DialPace.pauses).flatMap {
        [.seconds($0.dial * factor), .seconds($0.initMessage * factor), $1]
      }
      expect(bounds(configuration), is: expected)
    }
  }

  @Test func `When the node stops, an invoice whose write is blocked is refused, and not stored later`() {
    var node = dialling()
    expect(node.handle(.invoiceMade(invoice), at: start), is: [.write(NodeChange(newInvoice: invoice))])
    _ = node.handle(.storeBlocked, at: start)
    expect(
      node.handle(.stopRequested(gracefully: true), at: start),
      is: [
        .invoiceRefused(paymentHash: invoice.paymentHash, .because(NodeMachine.givenUp)), .cutOff,
        .report(.stopped),
      ])
    #expect(node.deadline == nil)
    expect(node.handle(.deadlineReached, at: start + .seconds(1)), is: [])
  }

  @Test func `An invoice whose write is blocked between two dials is written again 100 ms later`() {
    var node = dialling()
    _ = node.handle(.closed("no route"), at: start)
    let write = NodeDirective.write(NodeChange(newInvoice: invoice), under: fence(1))
    expect(node.handle(.invoiceMade(invoice), at: start), is: [.checkRow, write])
    // The row may be readable during another process's transaction, or blocked as well.
    for row in [NodeEvent.rowRead(row(1)), .storeBlocked] {
      var node = node
      _ = node.handle(row, at: start)
      _ = node.handle(.storeBlocked, at: start)
      expect(node.deadline, is: start + .milliseconds(100))
      expect(node.handle(.deadlineReached, at: start + .milliseconds(100)), is: [write])
    }
  }

  @Test func `A disconnecting node stops on the peer's error and does not redial`() {
    var node = dialling()
    _ = node.handle(.dialled, at: start)
    expect(node.handle(.stopRequested(gracefully: true), at: start), is: [.hangUp])
    let error = Message.error(ErrorOrWarning(text: "no"))
    expect(node.handle(.received(error), at: start), is: [.cutOff, .report(.stopped)])
    #expect(node.deadline == nil)
  }

  @Test
  func `After a reconnection a settling payment is not reported again, and its end is reported once`() throws
  {
    var world = try NodeWorld(payments: 1)
    world.claim()
    world.pay(0)
    while world.stored.channel?.isSettling != true, world.moveSomething() || world.letTimePass() {}
    world.news = []
    world.breakWire()
    while !world.news.contains(.established), world.moveSomething() || world.letTimePass() {}
    expect(world.news, is: [.connecting, .established])
    while world.stored.channel?.isSettling == true, world.moveSomething() || world.letTimePass() {}
    world.deliver()
    #expect(
      world.news.last == .busy(.nothing)
        && world.news.count { if case .busy = $0 { true } else { false } } == 1)
  }
}

/// The claim row names the owner, and the node reads it.
@Suite("The claim row that a node reads") struct NodeRowTests {
  private let start = Instant(nanoseconds: 0)
  private let end: [NodeDirective] = [.cutOff, .report(.fenced)]
  private static let ofOthers = [row(2), row(1, incarnation: 2), nil]

  private func initDone() throws -> NodeMachine {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(fence(1), NodeState()), at: start)
    expect(node.handle(.rowRead(row(1)), at: start), is: [.dial(attempt: 0)])
    _ = node.handle(.dialled, at: start)
    _ = node.handle(.received(.initMessage(InitMessage())), at: start)
    var peer = try Channel(id: channelID, localMsat: 9_000_000_000, remoteMsat: 1_000_000_000, isOpener: true)
    expect(node.handle(.received(peer.reestablish()), at: start), is: [.checkAfterInit])
    return node
  }

  @Test(arguments: ofOthers)
  func `Before the dial, a missing claim row or that of another claim stops the node`(_ row: ClaimRow?) {
    var node = NodeMachine(configuration: .init())
    expect(node.handle(.started(fence(1), NodeState()), at: start), is: [.report(.connecting), .checkRow])
    expect(node.handle(.rowRead(row), at: start), is: end)
    #expect(node.isStopped && node.deadline == nil)
  }

  @Test(arguments: ofOthers)
  func `After init, a missing claim row or that of another claim stops the node`(_ row: ClaimRow?) throws {
    var node = try initDone()
    expect(node.handle(.checkedAfterInit(row, NodeState()), at: start), is: end)
    #expect(node.isStopped && node.deadline == nil && node.durableState == NodeState())
  }

  @Test
  func `If the claim row read after init is the node's own claim, the node writes under that claim`() throws {
    var node = try initDone()
    let said = node.handle(.checkedAfterInit(row(1), NodeState()), at: start)
    guard case .write(_, let claim)? = said.first else { return expect(said, is: []) }
    #expect(said.count == 1 && claim == fence(1))
  }
}

/// The phone reports that the network is gone, and that it is back.
@Suite("Without a network") struct NetworkTests {
  private let start = Instant(nanoseconds: 0)
  private let claim = fence(1)
  private let lost: [NodeDirective] = [
    .cutOff, .report(.trouble("there is no network")), .report(.connecting),
  ]

  @Test func `Without a network the node disconnects, and dials at once when the network is back`() {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(claim, NodeState()), at: start)
    expect(node.handle(.rowRead(row(1)), at: start), is: [.dial(attempt: 0)])
    expect(node.handle(.networkChanged(isThere: false), at: start), is: lost)
    #expect(node.deadline == nil)
    expect(node.handle(.closed("late news of the dial"), at: start), is: [])
    expect(node.handle(.networkChanged(isThere: false), at: start), is: [])
    expect(node.handle(.networkChanged(isThere: true), at: start), is: [.checkRow])
    expect(node.handle(.rowRead(row(1)), at: start), is: [.dial(attempt: 0)])
  }

  @Test func `When the network is back, the dial attempts are counted from 0 again`() {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(claim, NodeState()), at: start)
    for attempt in 0..<3 {
      expect(node.handle(.rowRead(row(1)), at: start), is: [.dial(attempt: attempt)])
      _ = node.handle(.closed("refused"), at: start)
      if attempt < 2 { _ = node.handle(.deadlineReached, at: start + .seconds(10)) }
    }
    expect(node.handle(.networkChanged(isThere: false), at: start), is: lost)
    _ = node.handle(.networkChanged(isThere: true), at: start)
    expect(node.handle(.rowRead(row(1)), at: start), is: [.dial(attempt: 0)])
  }

  @Test func `A node started without a network waits; a stopped node still notes network changes`() {
    var node = NodeMachine(configuration: .init())
    expect(node.handle(.networkChanged(isThere: false), at: start), is: [])
    expect(
      node.handle(.started(claim, NodeState()), at: start),
      is: [
        .report(.connecting), .report(.trouble("there is no network")),
      ])
    expect(node.handle(.stopRequested(gracefully: true), at: start), is: [.cutOff, .report(.stopped)])
    expect(node.handle(.networkChanged(isThere: true), at: start), is: [])
    expect(node.handle(.started(claim, NodeState()), at: start), is: [.report(.connecting), .checkRow])
  }
}
