@testable import Lightning
@testable import Wallet
@testable import LightningProvider

/// Payments in parts: all of them are accepted, or none.
@Suite("Multi-part payments") struct MultiPartTests {
  private func world(payments: Int = 1) throws -> NodeWorld {
    var world = try NodeWorld(payments: payments)
    world.claimAndDeliver()
    return world
  }

  @Test
  func `The first part is held; with the second, both are accepted, and one receipt is reported`() throws {
    var world = try world()
    world.news = []
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    #expect(world.received.isEmpty && world.paid.isEmpty && world.failed == 0)
    expect(world.news, is: [.busy(NodeActivity(collecting: [world.invoices[0].paymentHash]))])
    expect(world.node?.deadline, is: world.now + .seconds(60))
    world.payAndDeliver(0, part: 2, amountMsat: 400, world.data(0))
    expect(world.received, is: [world.invoices[0].paymentHash])
    expect(world.amounts, is: [1000])
    expect(world.paid.count, is: 2)
    #expect(world.node?.deadline == nil)
    guard world.news.count == 4, case .received = world.news[1] else { return expect(world.news, is: []) }
    expect(Array(world.news[2...]), is: [.busy(NodeActivity(isSettling: true)), .busy(.nothing)])
  }

  @Test
  func `An invoice without an amount takes what the payer pays, in one part or in several, and no less`()
    throws
  {
    for (parts, amounts) in [([1000], [1000]), ([300, 700], [1000]), ([300], [])] as [([UInt64], [UInt64])] {
      var world = try NodeWorld(payments: 1)
      world.stored.invoices[0].amountMsat = Invoice.anyAmount
      world.claimAndDeliver()
      for (number, part) in parts.enumerated() {
        world.pay(0, part: number + 1, amountMsat: part, world.data(0))
      }
      world.deliver()
      expect(world.amounts, is: amounts)
    }
  }

  @Test(.shows("P-5.1")) func `A part received by one owner counts for the next owner`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    world.claimAndDeliver()
    expect(world.news.last, is: .busy(NodeActivity(collecting: [world.invoices[0].paymentHash])))
    world.payAndDeliver(0, part: 2, amountMsat: 400, world.data(0))
    #expect(world.amounts == [1000] && world.paid.count == 2)
  }

  @Test(.shows("P-5.1"))
  func `With parts in memory alone no owner has both, and both parts fail with mpp_timeout`() throws {
    var world = try NodeWorld(payments: 1)
    world.keepsPartsInMemory = true
    world.claimAndDeliver()
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    world.claimAndDeliver()
    world.payAndDeliver(0, part: 2, amountMsat: 400, world.data(0))
    #expect(world.amounts.isEmpty && world.stored.channel?.committedHTLCs.count == 2)
    world.wake(at: world.now + .seconds(60))
    let timeout = PaymentFailure.refusedByRecipient(code: FailureCode.mppTimeout)
    #expect(world.failures[100] == timeout && world.failures[200] == timeout)
    #expect(world.stored.channel?.htlcs == [] && world.received.isEmpty)
  }

  @Test func `A payment whose second part arrives during a handover is completed by the next owner`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    world.handle(.handoverRequested)
    #expect(world.node?.deadline == nil)
    world.payAndDeliver(0, part: 2, amountMsat: 400, world.data(0))
    #expect(world.received.isEmpty)
    world.claimAndDeliver()
    #expect(world.amounts == [1000] && world.paid.count == 2)
  }

  @Test func `An incomplete set fails with mpp_timeout 60 s after its first part`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 300, world.data(0))
    let first = world.now
    world.now = first + .seconds(40)
    world.payAndDeliver(0, part: 2, amountMsat: 300, world.data(0))
    expect(world.waits.count, is: 1)
    expect(world.node?.deadline, is: first + .seconds(60), "counted from the first part")
    world.wake(at: first + .milliseconds(59_999))
    expect(world.failed, is: 0)
    world.wake(at: first + .seconds(60))
    expect(world.failures[100], is: .refusedByRecipient(code: 23))
    expect(world.failures[200], is: .refusedByRecipient(code: 23))
    #expect(world.received.isEmpty && world.stored.invoices.count == 1 && world.waits.isEmpty)
    expect(world.news.suffix(2), is: [.busy(NodeActivity(isSettling: true)), .busy(.nothing)])
    // The invoice can still be paid.
    world.payAndDeliver(0, part: 3, amountMsat: 1000, world.data(0))
    expect(world.amounts, is: [1000])
  }

  @Test
  func `A part with a wrong secret or total is refused, and differing totals fail the whole set`() throws {
    var world = try world(payments: 3)
    let details = PaymentFailure.refusedByRecipient(code: FailureCode.incorrectOrUnknownPaymentDetails)
    let good = world.data(0)
    world.payAndDeliver(0, part: 1, amountMsat: 500, good)
    // Offered by hand: our own LSP would not send them.
    try offer(&world, 0, 500, PaymentData(secret: SHA256.hash([1]), totalMsat: 1000))
    expect(world.node?.partials.count, is: 1, "a guessed secret is another set")
    expect(world.stored.channel?.htlcs.count, is: 1)
    for total in [1000, 2003] as [UInt64] { try offer(&world, 1, 700, world.data(1, totalMsat: total)) }
    expect(world.stored.channel?.htlcs.count, is: 1)
    world.payAndDeliver(0, part: 2, amountMsat: 500, good)
    expect(world.amounts, is: [1000])
    // Two parts with different totals fail the whole set.
    world.payAndDeliver(2, part: 1, amountMsat: 500, world.data(2))
    try offer(&world, 2, 500, world.data(2, totalMsat: 1500))
    expect(world.failures[102], is: details)
    #expect(world.amounts == [1000] && world.node?.partials.isEmpty == true)
  }

  @Test func `A set may pay up to twice the invoice's amount; a larger one is refused`() throws {
    var world = try world(payments: 2)
    world.payAndDeliver(0, part: 1, amountMsat: 1200, world.data(0, totalMsat: 2000))
    world.payAndDeliver(0, part: 2, amountMsat: 800, world.data(0, totalMsat: 2000))
    expect(world.amounts, is: [2000])
    world.payAndDeliver(1, part: 1, amountMsat: 1000, world.data(1, totalMsat: 2000))
    // Offered by hand: our own LSP accepts no part above the missing amount.
    try offer(&world, 1, 2000, world.data(1, totalMsat: 2000))
    #expect(world.amounts == [2000] && world.failed == 1 && world.stored.channel?.htlcs == [])
  }

  @Test func `Without payment data only one HTLC with the full amount is accepted`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 999, nil)
    expect(world.failed, is: 1)
    world.payAndDeliver(0)
    expect(world.amounts, is: [1000])
  }

  /// Offers the HTLC on the LSP's channel directly, without the LSP's checks.
  private func offer(_ world: inout NodeWorld, _ number: Int, _ amount: UInt64, _ data: PaymentData) throws {
    _ = try world.peer.state.channel.offer(
      amountMsat: amount, paymentHash: world.invoices[number].paymentHash, cltvExpiry: 700, paymentData: data)
    for case .message(let message) in world.peer.state.channel.takeOutgoing() {
      world.wire?.toWallet.append(message)
    }
    world.deliver()
  }

  @Test
  func `A completed set is still reported as incomplete until the write that accepts it is durable`() throws {
    var world = try world()
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    var node = try #require(world.node)
    let collecting = NodeActivity(collecting: [world.invoices[0].paymentHash])
    expect(node.activity, is: collecting)
    node.partials = []
    node.step = NodeMachine.Step(change: NodeChange())
    expect(node.activity, is: collecting)
    node.step = nil
    expect(node.activity, is: .nothing)
  }
}
