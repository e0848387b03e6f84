import Ground
import Testing

@testable import LightningWire
@testable import LightningNode
@testable import LightningProvider

@Suite("An invoice that the user cancels") struct CancelledInvoiceTests {
  private func connected() throws -> NodeWorld {
    var world = try NodeWorld(payments: 3)
    world.claim()
    world.settle()
    return world
  }

  /// The sender hears what a sender hears who has made the hash up.
  private func isUnknown(_ failure: PaymentFailure?) -> Bool {
    failure?.code == FailureCode.incorrectOrUnknownPaymentDetails
  }

  /// Cancels the invoice as soon as the HTLC that pays it is durable.
  private func expectRefusal(of hash: Bytes32, _ sentence: String, onceOfferedIn world: inout NodeWorld) {
    while world.moveSomething() {
      guard var node = world.node, node.durableChannel?.htlcs.isEmpty == false else { continue }
      let refusal = node.handle(.invoiceCancelRequested(hash), at: world.now)
      #expect(refusal == [.cancelRefused(paymentHash: hash, .because(sentence))])
      return
    }
    Issue.record("no HTLC was offered")
  }

  /// The container is blocked when the cancellation is to be stored; then the node hears the peer again.
  private func cancel(_ hash: Bytes32, whileBlockedIn world: inout NodeWorld) throws {
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    _ = node.handle(.storeBlocked, at: world.now)
    world.node = node
    world.deliver()
  }

  @Test("A payment of it is refused as one of a hash that nobody knows, also by the next owner; others come")
  func refused() throws {
    var world = try connected()
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    #expect(world.cancelled == [world.invoices[0].paymentHash] && world.refusals == [])
    for number in [0, 1] {
      world.pay(number)
      world.settle()
    }
    #expect(isUnknown(world.failures[0]) && world.received == [world.invoices[1].paymentHash])
    world.claim()
    world.pay(0)
    world.settle()
    #expect(world.failed == 2 && world.received.count == 1)
  }

  @Test("It is answered when it is durable under the claim, and not when another has the claim by then")
  func durable() throws {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    #expect(
      node.handle(.invoiceCancelRequested(hash), at: world.now)
        == [.write(NodeChange(cancelled: hash), under: fence(1))])
    var fenced = node
    let refused = fenced.handle(.fenced, at: world.now)
    #expect(refused.contains(.cancelRefused(paymentHash: hash, .because(NodeMachine.givenUp))))
    let done = node.handle(.written, at: world.now)
    #expect(done.count == 2 && done.last == .invoiceCancelled(paymentHash: hash))
    #expect(!node.durableState.invoices.contains { $0.paymentHash == hash })
  }

  @Test("What is not open is not cancelled: paid, cancelled, or never made") func notOpen() throws {
    var world = try connected()
    world.pay(0)
    world.settle()
    world.handle(.invoiceCancelRequested(world.invoices[1].paymentHash))
    for hash in [world.invoices[0].paymentHash, world.invoices[1].paymentHash, .zero] {
      world.handle(.invoiceCancelRequested(hash))
    }
    #expect(world.refusals == [String](repeating: NodeMachine.notOpen, count: 3))
    #expect(world.cancelled == [world.invoices[1].paymentHash] && world.received.count == 1)
  }

  @Test(
    "One that is cancelled is not called paid, also while a payment of it is in the channel and not failed back yet"
  )
  func cancelledAndOffered() throws {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.handle(.invoiceCancelRequested(hash))
    world.pay(0)
    expectRefusal(of: hash, NodeMachine.notOpen, onceOfferedIn: &world)
  }

  @Test("Nor one of which a part is in the channel: the payment comes whole, to this owner or the next")
  func incomplete() throws {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.pay(0, part: 0, amountMsat: 400, world.data(0))
    world.deliver()
    world.handle(.invoiceCancelRequested(hash))
    world.claim()
    world.handle(.invoiceCancelRequested(hash))
    #expect(world.refusals == [NodeMachine.beingPaid, NodeMachine.beingPaid] && world.cancelled == [])
    world.deliver()
    world.pay(0, part: 1, amountMsat: 600, world.data(0))
    world.deliver()
    #expect(world.received == [hash])
  }

  @Test("One that is asked for behind a step that accepts its payment finds it being paid") func behind()
    throws
  {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.pay(0)
    expectRefusal(of: hash, NodeMachine.beingPaid, onceOfferedIn: &world)
  }

  @Test("A cancel that waits for the step under way is looked at when that is durable") func waits() throws {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    var made = world.invoices[0]
    made.paymentHash = .zero
    _ = node.handle(.invoiceMade(made), at: world.now)
    #expect(node.handle(.invoiceCancelRequested(hash), at: world.now) == [])
    #expect(node.handle(.invoiceCancelRequested(hash), at: world.now) == [])
    #expect(
      node.handle(.written, at: world.now)
        == [.invoiceStored(paymentHash: .zero), .write(NodeChange(cancelled: hash), under: fence(1))])
    let refused = NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.notOpen))
    #expect(
      node.handle(.written, at: world.now).suffix(2) == [.invoiceCancelled(paymentHash: hash), refused])
  }

  // MARK: The container says no

  @Test("When its write fails, the user hears what the container has of it", arguments: [true, false])
  func failedWrite(isDurable: Bool) throws {
    var world = try connected()
    let hash = world.invoices[0].paymentHash
    world.failsOnce = { $0.cancelled == nil ? nil : isDurable ? .behindCommit : .nothingDone }
    world.handle(.invoiceCancelRequested(hash))
    #expect(world.cancelled == [] && world.refusals == [])
    world.settle()
    #expect(world.cancelled == (isDurable ? [hash] : []))
    #expect(world.refusals == (isDurable ? [] : [NodeMachine.cancelNotStored]))
    world.pay(0)
    world.settle()
    #expect(world.received == (isDurable ? [] : [hash]))
  }

  @Test("Nobody hears that it stands where that is not known") func unknown() throws {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    let failed = node.handle(.storeFailed("the disk"), at: world.now)
    let unknown = NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.cancelUnknown))
    #expect(!failed.contains { if case .cancelRefused = $0 { true } else { false } })
    #expect(node.handle(.stopRequested(gracefully: false), at: world.now).contains(unknown))
  }

  /// What failed may be the write that took its payment, durable behind the failure.
  @Test("Behind a write that failed nothing is cancelled before the container is read")
  func behindFailure() throws {
    let world = try connected()
    let hashes = world.invoices.prefix(2).map(\.paymentHash)
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hashes[0]), at: world.now)
    _ = node.handle(.storeFailed("the disk"), at: world.now)
    #expect(
      node.handle(.invoiceCancelRequested(hashes[1]), at: world.now).contains(
        .cancelRefused(paymentHash: hashes[1], .because(NodeMachine.cancelTooEarly))))
  }

  @Test("A node that is given up while the write is under way tells what became of it") func givenUp() throws
  {
    let world = try connected()
    let hash = world.invoices[0].paymentHash
    let refused = NodeDirective.cancelRefused(paymentHash: hash, .because(NodeMachine.givenUp))
    var node = try #require(world.node)
    _ = node.handle(.invoiceCancelRequested(hash), at: world.now)
    var blocked = node
    #expect(blocked.handle(.storeBlocked, at: world.now) == [])
    #expect(blocked.handle(.stopRequested(gracefully: false), at: world.now).first == refused)
    #expect(!node.handle(.stopRequested(gracefully: false), at: world.now).contains(refused))
    var late = node
    #expect(late.handle(.storeBlocked, at: world.now) == [refused] && late.deadline == nil)
    #expect(node.handle(.written, at: world.now) == [.invoiceCancelled(paymentHash: hash)])
    #expect(
      node.handle(.invoiceCancelRequested(hash), at: world.now) == [
        .cancelRefused(paymentHash: hash, .notHeld)
      ])
  }

  @Test("One that finds the container blocked is stored behind a backup that is adopted meanwhile")
  func blockedBeforeAdopting() throws {
    var world = try connected()
    world.pay(1)
    world.settle()
    world.stored.channel = nil
    world.claim()
    let hash = world.invoices[0].paymentHash
    try cancel(hash, whileBlockedIn: &world)
    #expect(world.cancelled == [hash])
  }

  @Test(
    "One that waits behind a blocked payment is cancelled when the connection, and the payment with it, is lost"
  )
  func behindWhatIsDropped() throws {
    var world = try connected()
    world.pay(0)
    world.settle()
    let hash = world.invoices[1].paymentHash
    var node = try #require(world.node)
    let payment = OutgoingPayment(paymentHash: .zero, amountMsat: 500, paymentSecret: .zero)
    #expect(node.handle(.payRequested(payment), at: world.now).count == 1)
    #expect(node.handle(.invoiceCancelRequested(hash), at: world.now) == [], "a write is under way")
    _ = node.handle(.storeBlocked, at: world.now)
    let lost = node.handle(.closed("gone"), at: world.now)
    #expect(lost.last == .write(NodeChange(cancelled: hash), under: fence(1)))
  }

  @Test(
    "A payment that the owner before left undecided is accepted behind a write of an invoice that was under way"
  )
  func nothingIsForgottenBehindIt() throws {
    var world = try connected()
    world.handle(.handoverRequested)
    world.pay(1)
    world.deliver()
    #expect(world.received == [])
    world.claim()
    try cancel(world.invoices[2].paymentHash, whileBlockedIn: &world)
    world.now = try #require(world.node?.deadline)
    world.handle(.deadlineReached)
    world.deliver()
    #expect(world.received == [world.invoices[1].paymentHash])
    #expect(world.cancelled == [world.invoices[2].paymentHash])
  }

  // MARK: The backup

  @Test("A cancelled invoice that becomes durable only when the channel runs is in no backup from then on")
  func backupBehindBlockedWrite() throws {
    var world = try connected()
    world.pay(1)
    world.settle()
    world.claim()
    let hash = world.invoices[0].paymentHash
    try cancel(hash, whileBlockedIn: &world)
    world.now = try #require(world.node?.deadline)
    world.handle(.deadlineReached)
    world.settle()
    #expect(world.cancelled == [hash])
    world.loseDatabase()
    world.claim()
    world.settle()
    #expect(world.stored.invoices.map(\.paymentHash) == [world.invoices[2].paymentHash])
  }

  @Test("One that the backup knows as open stays cancelled in memory too, when the backup is adopted")
  func adoptedAsOpen() throws {
    var world = try connected()
    world.pay(1)
    world.settle()
    world.kill()
    world.stored.channel = nil
    world.claim()
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    world.settle()
    let open = try #require(world.node).durableState.invoices.map(\.paymentHash)
    #expect(open == [world.invoices[2].paymentHash])
    world.pay(0)
    world.settle()
    #expect(isUnknown(world.failures[0]) && world.received.count == 1)
  }

  @Test("The backup does not bring it back, whether the peer was there or not", arguments: [true, false])
  func lostDatabase(isConnected: Bool) throws {
    var world = try connected()
    world.pay(1)
    world.settle()
    if !isConnected { world.claim() }
    world.handle(.invoiceCancelRequested(world.invoices[0].paymentHash))
    world.settle()
    world.loseDatabase()
    world.claim()
    world.settle()
    #expect(world.stored.invoices.map(\.paymentHash) == [world.invoices[2].paymentHash])
    world.pay(0)
    world.settle()
    #expect(isUnknown(world.failures[0]) && world.received.count == 1)
  }
}
