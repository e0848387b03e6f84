import Crypto
import Ground
import Testing

@testable import LightningChannel
@testable import LightningNode
@testable import LightningProvider

@Suite("What somebody is told of a write that failed") struct UnansweredTests {
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
    world.claim()
    world.settle()
    return world
  }

  @Test("A payment whose write failed behind its commit is under way, and its user hears that")
  func durablePayment() throws {
    var world = try connected()
    world.failsOnce = { $0.payments?.offered.isEmpty == false ? .behindCommit : nil }
    world.send(0)
    world.settle()
    #expect(world.refusals == [] && world.offered == [invoice.paymentHash])
    #expect(world.sent.arrived == [invoice.paymentHash])
  }

  @Test("One whose write failed is refused when the container has been read, and nothing left")
  func lostPayment() throws {
    var world = try connected()
    world.failsOnce = { $0.payments?.offered.isEmpty == false ? .nothingDone : nil }
    world.send(0)
    world.settle()
    #expect(world.refusals == [NodeMachine.payNotStored] && world.offered == [])
    #expect(world.sent.arrived == [])
  }

  @Test("So it is with money that is taken out on chain", arguments: [true, false])
  func splice(isDurable: Bool) throws {
    var world = try connected(splices: true)
    world.failsOnce = { change in
      change.channel?.pendingSplice == nil ? nil : isDurable ? .behindCommit : .nothingDone
    }
    world.handle(.spliceRequested(SpliceRequest(amountSat: 4000, script: targetScript)))
    world.settle()
    #expect(world.refusals == (isDurable ? [] : [NodeMachine.spliceNotStored]))
    #expect(world.splicesBegun.count == (isDurable ? 1 : 0))
    // Of what was never sent the other side knows nothing.
    #expect(world.splicesEnded.map(\.end) == (isDurable ? [.forgotten] : []))
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
    .paymentRefused(paymentHash: invoice.paymentHash, .because(NodeMachine.payUnknown))
  }

  @Test("A node that is stopped before it reads again says that it does not know") func stopped() throws {
    var (node, world) = try failedWrite()
    #expect(node.handle(.stopRequested(gracefully: true), at: world.now).contains(isUnknown))
    #expect(!node.handle(.stopRequested(gracefully: false), at: world.now).contains(isUnknown))
  }

  @Test("Nobody waits longer than 5 s for that") func late() throws {
    var (node, world) = try failedWrite()
    _ = node.handle(.networkChanged(isThere: false), at: world.now)
    let end = world.now + NodeMachine.payTimeout
    #expect(node.deadline == end)
    #expect(node.handle(.deadlineReached, at: end) == [isUnknown])
  }
}
