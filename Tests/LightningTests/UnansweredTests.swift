@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("The answer after a failed write") struct UnansweredTests {
  private let invoice = SentPayments.invoice(0)

  private var payment: OutgoingPayment {
    OutgoingPayment(
      paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat, paymentSecret: invoice.paymentSecret)
  }

  private func connected(splices: Bool = false) throws -> NodeWorld {
    var world = try NodeWorld(payments: 2)
    world.splices = splices
    world.peer = PeerMachine(
      configuration: .init(
        rules: NodeWorld.rules, fundingKey: splices ? providerSide.key : nil, startedAt: world.now,
        state: world.peer.state))
    world.externalInvoice(0)
    world.claimAndSettle()
    return world
  }

  @Test(arguments: [true, false])
  func `A payment whose write failed is answered with what the container stored`(isDurable: Bool) throws {
    var world = try connected()
    world.failsOnce = { change in
      change.payments?.offered.isEmpty != false ? nil : isDurable ? .behindCommit : .nothingDone
    }
    world.sendAndSettle(0)
    expect(world.refusals, is: (isDurable ? [] : [NodeMachine.payNotStored]))
    expect(world.offered, is: (isDurable ? [invoice.paymentHash] : []))
    expect(world.sent.arrived, is: world.offered)
  }

  @Test(arguments: [true, false])
  func `A withdrawal whose write failed is answered with what the container stored`(isDurable: Bool) throws {
    var world = try connected(splices: true)
    world.failsOnce = { change in
      change.channel?.pendingSplice == nil ? nil : isDurable ? .behindCommit : .nothingDone
    }
    world.handle(.spliceRequested(SpliceRequest(amountSat: 4000, script: targetScript)))
    world.settle()
    expect(world.refusals, is: (isDurable ? [] : [NodeMachine.spliceNotStored]))
    expect(world.splicesBegun.count, is: (isDurable ? 1 : 0))
    // The splice was never sent, so the LSP does not know it.
    expect(world.splicesEnded.map(\.end), is: (isDurable ? [.forgotten] : []))
  }

  private func failedWrite() throws -> (NodeMachine, NodeWorld) {
    let world = try connected()
    var node = try #require(world.node)
    _ = node.handle(.payRequested(payment), at: world.now)
    let failed = node.handle(.storeFailed("the disk"), at: world.now)
    #expect(!failed.contains { if case .paymentRefused = $0 { true } else { false } })
    return (node, world)
  }

  private var isUnknown: NodeDirective {
    .paymentRefused(paymentHash: invoice.paymentHash, .unknown(NodeMachine.payUnknown))
  }

  @Test
  func
    `A node stopped between a payment's failed write and the next read answers that the outcome is unknown`()
    throws
  {
    var (node, world) = try failedWrite()
    #expect(node.handle(.stopRequested(gracefully: true), at: world.now).contains(isUnknown))
    #expect(!node.handle(.stopRequested(gracefully: false), at: world.now).contains(isUnknown))
  }

  @Test func `After 5 s without a read of the container the answer is that the outcome is unknown`() throws {
    var (node, world) = try failedWrite()
    _ = node.handle(.networkChanged(isThere: false), at: world.now)
    let end = world.now + NodeMachine.payTimeout
    expect(node.deadline, is: end)
    expect(node.handle(.deadlineReached, at: end), is: [isUnknown])
  }
}
