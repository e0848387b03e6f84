@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("Cancelling an invoice") struct CancelledInvoiceTests {
  private func connected() throws -> NodeWorld { try NodeWorld.connected(payments: 3) }

  /// The sender gets the same failure as for an unknown payment hash.
  private func isUnknown(_ failure: PaymentFailure?) -> Bool {
    failure?.code == FailureCode.incorrectOrUnknownPaymentDetails
  }

  /// The container is blocked when the cancellation is to be stored; then the peer's messages are delivered.
  private func cancel(_ hash: Bytes32, whileBlockedIn world: inout NodeWorld) throws {
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    _ = node.handle(.storeBlocked, at: world.now)
    world.node = node
    world.deliver()
  }

  @Test func `A payment of a cancelled invoice fails like one with an unknown hash, also at the next owner`()
    throws
  {
    var world = try connected()
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    #expect(world.cancelled == [world.invoices[0].paymentHash] && world.refusals == [])
    for number in [0, 1] { world.payAndSettle(number) }
    #expect(isUnknown(world.failures[0]) && world.received == [world.invoices[1].paymentHash])
    world.claim()
    world.payAndSettle(0)
    #expect(world.failed == 2 && world.received.count == 1)
  }

  @Test func `A cancellation is answered when it is durable, and refused when its write finds a newer claim`()
    throws
  {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    expect(
      node.handle(.invoiceCancelRequested(hash), at: world.now),
      is: [.write(NodeChange(cancelled: hash), under: fence(1))])
    var fenced = node
    let refused = fenced.handle(.fenced, at: world.now)
    #expect(refused.contains(.cancelRefused(paymentHash: hash, .because(NodeMachine.givenUp))))
    let done = node.handle(.written, at: world.now)
    #expect(done.count == 2 && done.last == .invoiceCancelled(paymentHash: hash))
    #expect(!node.durableState.invoices.contains { $0.paymentHash == hash })
  }

  @Test func `A paid, cancelled or unknown invoice cannot be cancelled`() throws {
    var world = try connected()
    world.payAndSettle(0)
    world.handle(.invoiceCancelRequested(world.invoices[1].paymentHash))
    for hash in [world.invoices[0].paymentHash, world.invoices[1].paymentHash, .zero] {
      world.handle(.invoiceCancelRequested(hash))
    }
    expect(world.refusals, is: [String](repeating: NodeMachine.notOpen, count: 3))
    #expect(world.cancelled == [world.invoices[1].paymentHash] && world.received.count == 1)
  }

  @Test(arguments: [true, false])
  func `While an HTLC for the invoice is durable, no cancellation is accepted`(isCancelled: Bool) throws {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    if isCancelled { world.handle(.invoiceCancelRequested(hash)) }
    world.pay(0)
    while world.moveSomething() {
      guard var node = world.node, node.durableChannel?.htlcs.isEmpty == false else { continue }
      let why = isCancelled ? NodeMachine.notOpen : NodeMachine.beingPaid
      let refusal = node.handle(.invoiceCancelRequested(hash), at: world.now)
      return expect(refusal, is: [.cancelRefused(paymentHash: hash, .because(why))])
    }
    Issue.record("no HTLC was offered")
  }

  @Test func `An invoice with one part pending cannot be cancelled, and its payment completes`() throws {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.payAndDeliver(0, part: 0, amountMsat: 400, world.data(0))
    world.handle(.invoiceCancelRequested(hash))
    world.claim()
    world.handle(.invoiceCancelRequested(hash))
    #expect(world.refusals == [NodeMachine.beingPaid, NodeMachine.beingPaid] && world.cancelled == [])
    world.deliver()
    world.payAndDeliver(0, part: 1, amountMsat: 600, world.data(0))
    expect(world.received, is: [hash])
  }

  @Test func `A cancellation requested during a write is decided after that write`() throws {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    var made = world.invoices[0]
    made.paymentHash = .zero
    _ = node.handle(.invoiceMade(made), at: world.now)
    expect(node.handle(.invoiceCancelRequested(hash), at: world.now), is: [])
    expect(node.handle(.invoiceCancelRequested(hash), at: world.now), is: [])
    expect(
      node.handle(.written, at: world.now),
      is: [.invoiceStored(paymentHash: .zero), .write(NodeChange(cancelled: hash), under: fence(1))])
    let refused = NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.notOpen))
    expect(
      node.handle(.written, at: world.now).suffix(2), is: [.invoiceCancelled(paymentHash: hash), refused])
  }

  // MARK: The container refuses the write

  @Test(arguments: [true, false])
  func `After a failed write the cancellation is answered with what the container stored`(isDurable: Bool)
    throws
  {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.failsOnce = { $0.cancelled == nil ? nil : isDurable ? .behindCommit : .nothingDone }
    world.handle(.invoiceCancelRequested(hash))
    #expect(world.cancelled == [] && world.refusals == [])
    world.settle()
    expect(world.cancelled, is: (isDurable ? [hash] : []))
    expect(world.refusals, is: (isDurable ? [] : [NodeMachine.cancelNotStored]))
    world.payAndSettle(0)
    expect(world.received, is: (isDurable ? [] : [hash]))
  }

  @Test func `A node stopped after a failed write reports the cancellation's outcome as unknown`() throws {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    let failed = node.handle(.storeFailed("the disk"), at: world.now)
    let unknown = NodeDirective.cancelRefused(paymentHash: hash, .unknown(NodeMachine.cancelUnknown))
    #expect(!failed.contains { if case .cancelRefused = $0 { true } else { false } })
    #expect(node.handle(.stopRequested(gracefully: false), at: world.now).contains(unknown))
  }

  /// The failed write may have accepted this invoice's payment and may be durable.
  @Test func `After a failed write no cancellation is accepted before the container is read`() throws {
    let world = try connected()
    let hashes = world.invoices.prefix(2).map(\.paymentHash)
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hashes[0]), at: world.now)
    _ = node.handle(.storeFailed("the disk"), at: world.now)
    #expect(
      node.handle(.invoiceCancelRequested(hashes[1]), at: world.now).contains(
        .cancelRefused(paymentHash: hashes[1], .because(NodeMachine.cancelTooEarly))))
  }

  @Test
  func `When the node stops, a blocked cancellation is refused, and one under way gets its write's result`()
    throws
  {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    let refused = NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.givenUp))
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    var blocked = node
    expect(blocked.handle(.storeBlocked, at: world.now), is: [])
    expect(blocked.handle(.stopRequested(gracefully: false), at: world.now).first, is: refused)
    #expect(!node.handle(.stopRequested(gracefully: false), at: world.now).contains(refused))
    var late = node
    #expect(late.handle(.storeBlocked, at: world.now) == [refused] && late.deadline == nil)
    expect(node.handle(.written, at: world.now), is: [.invoiceCancelled(paymentHash: hash)])
    expect(
      node.handle(.invoiceCancelRequested(hash), at: world.now),
      is: [
        .cancelRefused(paymentHash: hash, .notHeld)
      ])
  }

  @Test
  func `A cancellation that finds the container blocked is stored after the backup is adopted`() throws {
    var world = try connected()
    world.payAndSettle(1)
    world.stored.channel = nil
    world.claim()
    let hash = world.invoices[0].paymentHash
    try cancel(hash, whileBlockedIn: &world)
    expect(world.cancelled, is: [hash])
  }

  @Test
  func `A cancellation queued behind a blocked payment is written when the connection is lost`() throws {
    var world = try connected()
    world.payAndSettle(0)
    let hash = world.invoices[1].paymentHash
    var node = try #require(world.node)
    let payment = OutgoingPayment(paymentHash: .zero, amountMsat: 500, paymentSecret: .zero)
    expect(node.handle(.payRequested(payment), at: world.now).count, is: 1)
    expect(node.handle(.invoiceCancelRequested(hash), at: world.now), is: [], "a write is under way")
    _ = node.handle(.storeBlocked, at: world.now)
    let lost = node.handle(.closed("gone"), at: world.now)
    expect(lost.last, is: .write(NodeChange(cancelled: hash), under: fence(1)))
  }

  @Test func `A blocked cancellation and a payment pending since the previous owner both complete`() throws {
    var world = try connected()
    world.handle(.handoverRequested)
    world.payAndDeliver(1)
    expect(world.received, is: [])
    world.claim()
    try cancel(world.invoices[2].paymentHash, whileBlockedIn: &world)
    world.wake(at: try #require(world.node?.deadline))
    expect(world.received, is: [world.invoices[1].paymentHash])
    expect(world.cancelled, is: [world.invoices[2].paymentHash])
  }

  // MARK: The backup

  @Test func `After a blocked cancellation is stored, the backup does not contain the invoice`() throws {
    var world = try connected()
    world.payAndSettle(1)
    world.claim()
    let hash = world.invoices[0].paymentHash
    try cancel(hash, whileBlockedIn: &world)
    world.now = try #require(world.node?.deadline)
    world.handle(.deadlineReached)
    world.settle()
    expect(world.cancelled, is: [hash])
    world.loseDatabase()
    world.claimAndSettle()
    expect(world.stored.invoices.map(\.paymentHash), is: [world.invoices[2].paymentHash])
  }

  @Test
  func `A cancelled invoice stays cancelled in memory when an adopted backup lists it as open`() throws {
    var world = try connected()
    world.payAndSettle(1)
    world.kill()
    world.stored.channel = nil
    world.claim()
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    world.settle()
    let open = try #require(world.node).durableState.invoices.map(\.paymentHash)
    expect(open, is: [world.invoices[2].paymentHash])
    world.payAndSettle(0)
    #expect(isUnknown(world.failures[0]) && world.received.count == 1)
  }

  @Test(arguments: [true, false])
  func `After a database loss the backup does not reopen a cancelled invoice`(isConnected: Bool) throws {
    var world = try connected()
    world.payAndSettle(1)
    if !isConnected { world.claim() }
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    world.settle()
    world.loseDatabase()
    world.claimAndSettle()
    expect(world.stored.invoices.map(\.paymentHash), is: [world.invoices[2].paymentHash])
    world.payAndSettle(0)
    #expect(isUnknown(world.failures[0]) && world.received.count == 1)
  }
}
