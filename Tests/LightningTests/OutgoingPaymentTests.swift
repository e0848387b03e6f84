@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("Outgoing payments") struct OutgoingPaymentTests {
  private func world(delay: TimeSpan = .zero) throws -> NodeWorld {
    var world = try NodeWorld(payments: 2)
    world.peer = PeerMachine(
      configuration: .init(
        externalDelay: delay, rules: NodeWorld.rules, startedAt: world.now, state: world.peer.state))
    return world
  }

  /// The LSP knows external invoice 0, and the owner is connected.
  private func connected(delay: TimeSpan = .zero) throws -> NodeWorld {
    var world = try world(delay: delay)
    world.externalInvoice(0)
    world.claimAndDeliver()
    return world
  }

  /// The payment of external invoice 0 is in the channel.
  private func offered() throws -> NodeWorld {
    var world = try connected(delay: .seconds(10))
    world.send(0)
    world.deliver()
    return world
  }

  @Test
  func `A payment succeeds; the wallet stores the preimage, and the LSP stores the invoice as paid`() throws {
    var world = try world()
    let invoice = SentPayments.invoice(0)
    world.externalInvoice(0)
    world.claimAndSettle()
    world.sendAndSettle(0)
    expect(world.sent.ends(invoice.paymentHash), is: [.paid(preimage: invoice.preimage)])
    expect(world.sent.arrived, is: [invoice.paymentHash])
    expect(world.spentMsat, is: invoice.amountMsat)
    expect(world.stored.channel?.htlcs, is: [])
    expect(world.stored.payments, is: OutgoingPayments())
    expect(world.past[invoice.paymentHash], is: .paid)
  }

  @Test func `A payment is durable before any message of it is sent`() throws {
    let world = try connected()
    var node = try #require(world.node)
    let invoice = SentPayments.invoice(0)
    let payment = OutgoingPayment(
      paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat, paymentSecret: invoice.paymentSecret)
    let asked = node.handle(.payRequested(payment), at: world.now)
    guard case .write(let change, _)? = asked.first, asked.count == 1 else { return expect(asked, is: []) }
    expect(change.payments?.offered.map(\.paymentHash), is: [invoice.paymentHash])
    expect(change.channel?.htlcs.map(\.paymentHash), is: [invoice.paymentHash])
    let written = node.handle(.written, at: world.now)
    #expect(written.contains(.paymentOffered(paymentHash: invoice.paymentHash)))
    #expect(written.contains { if case .send = $0 { true } else { false } })
  }

  @Test
  func `A payment of an unknown, underpaid or already paid invoice fails, and its amount returns`() throws {
    var world = try world()
    world.externalInvoice(1)
    world.claimAndSettle()
    world.send(0)
    world.sendAndSettle(1, amountMsat: SentPayments.invoice(1).amountMsat - 1)
    let code = FailureCode.incorrectOrUnknownPaymentDetails
    expect(world.sent.ended.map(\.end), is: [.failed(code: code), .failed(code: code)])
    #expect(world.sent.arrived.isEmpty)
    expect(world.spentMsat, is: 0)
    expect(world.stored.payments, is: OutgoingPayments())
    // A failed payment may be tried again, as a new payment.
    world.sendAndSettle(1)
    expect(world.sent.arrived, is: [SentPayments.invoice(1).paymentHash])
    // A wallet without its payment history does not pay twice either.
    world.stored.payments = OutgoingPayments()
    world.past = PastPayments()
    world.claimAndSettle()
    world.sendAndSettle(1)
    expect(world.sent.ended.last?.end, is: .failed(code: code))
    expect(world.spentMsat, is: SentPayments.invoice(1).amountMsat)
  }

  @Test
  func `An invoice is paid once, however often its payment is requested, also under the next claim`() throws {
    var world = try connected(delay: .seconds(10))
    world.send(0)
    world.send(0)
    world.deliver()
    expect(world.refusals, is: ["this invoice is already being paid; wait for the result"])
    world.claimAndDeliver()
    world.send(0)
    expect(world.refusals.count, is: 2)
    world.settle()
    world.send(0)
    expect(world.refusals.last, is: "this invoice is paid already; ask for a new one")
    expect(world.sent.offered.count, is: 1)
    expect(world.spentMsat, is: SentPayments.invoice(0).amountMsat)
  }

  @Test func `The refusal of a payment above the balance names the amount that the wallet can send`() throws {
    var world = try world()
    world.claimAndSettle()
    world.send(0, amountMsat: NodeWorld.walletMsat + 1)
    expect(
      world.refusals,
      is: [
        "the wallet can send 1,000,000 sat now, less than the payment's 1,000,000,001 msat; receive some first"
      ])
    #expect(world.sent.offered.isEmpty)
    expect(world.node?.wantedPayments.all.isEmpty, is: true)
  }

  @Test
  func `A payment waits up to 5 s for the connection; a node that was asked to stop refuses payments`() throws
  {
    var world = try world()
    world.externalInvoice(0)
    world.claim()
    world.send(0)
    #expect(world.sent.offered.isEmpty)
    world.settle()
    expect(world.sent.arrived.count, is: 1)
    world.handle(.networkChanged(isThere: false))
    world.sendAndSettle(1)
    expect(world.refusals, is: [NodeMachine.payTimedOut])
    world.handle(.stopRequested(gracefully: true))
    world.send(1)
    expect(world.refusals.last, is: NodeRefusal.notHeldWords)
  }

  @Test func `A wallet restored from the backup knows its pending payment and completes it`() throws {
    var world = try offered()
    world.kill()
    world.stored = NodeState()
    world.claimAndDeliver()
    expect(world.stored.payments.pending.map(\.paymentHash), is: [SentPayments.invoice(0).paymentHash])
    world.settle()
    expect(
      world.sent.ends(SentPayments.invoice(0).paymentHash),
      is: [
        .paid(preimage: SentPayments.invoice(0).preimage)
      ])
  }

  @Test func `A payment whose outcome was lost with the database is marked lost and not repeated`() throws {
    var world = try offered()
    let (old, oldPast) = (world.stored, world.past)
    world.settle()
    // The backup after the next payment no longer lists this one.
    world.externalInvoice(1)
    world.sendAndSettle(1)
    world.kill()
    (world.stored, world.past) = (old, oldPast)
    world.claimAndSettle()
    expect(world.stored.payments, is: OutgoingPayments())
    expect(world.past[SentPayments.invoice(0).paymentHash], is: .lost)
    expect(world.past[SentPayments.invoice(1).paymentHash], is: .paid)
    world.send(0)
    expect(
      world.refusals,
      is: [
        "an earlier payment of this invoice may have succeeded: its outcome was lost with the wallet's database; ask the recipient, and if the invoice is not paid, ask for a new one"
      ])
    expect(world.sent.offered.count, is: 2)
  }

  @Test func `The node's state does not grow with completed payments`() throws {
    var world = try world()
    world.claimAndSettle()
    for number in 0..<40 {
      world.externalInvoice(number)
      world.sendAndSettle(number)
    }
    expect(world.sent.arrived.count, is: 40)
    world.claimAndSettle()
    expect(world.node?.durableState.payments, is: OutgoingPayments())
  }

  @Test func `A payment requested while the node adopts a newer backup is refused`() throws {
    var world = try connected(delay: .seconds(10))
    let old = world.stored
    world.send(0)
    world.deliver()
    world.kill()
    // The backup records the payment's end before the wallet's own tables do.
    world.claimAndSettle()
    world.kill()
    (world.stored, world.past) = (old, PastPayments())
    world.claim()
    world.sendAndSettle(0)
    expect(world.refusals, is: [NodeMachine.payDuringRestore])
    expect(world.sent.offered.count, is: 1)
  }

  @Test func `A restarted LSP forwards the payment that was pending in its channel`() throws {
    var world = try offered()
    world.kill()
    world.deliver()
    world.peer = PeerMachine(
      configuration: .init(rules: NodeWorld.rules, startedAt: world.now, state: world.peer.state))
    world.tellPeer(.deadlineReached)
    expect(world.sent.arrived, is: [SentPayments.invoice(0).paymentHash])
    world.claimAndSettle()
    expect(world.sent.ended.count, is: 1)
  }
}
