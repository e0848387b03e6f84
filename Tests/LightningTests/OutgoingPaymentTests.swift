import Ground
import Crypto
import Testing

@testable import Lightning

@Suite("Payments of the wallet's own")
struct OutgoingPaymentTests {
  private func world(_ seed: UInt64 = 1, delay: TimeSpan = .zero) throws -> NodeWorld {
    var world = try NodeWorld(seed: seed, payments: 2)
    world.faultsAreOn = false
    world.peer = PeerMachine(
      configuration: .init(
        elsewhereDelay: delay, rules: NodeWorld.rules, startedAt: world.now, state: world.peer.state))
    return world
  }

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

  @Test("A payment arrives, and both sides have written it down with its preimage")
  func paid() throws {
    var world = try world()
    let invoice = SentPayments.invoice(0)
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    settle(&world)
    world.send(0)
    settle(&world)
    #expect(world.sent.ends(invoice.paymentHash) == [.paid(preimage: invoice.preimage)])
    #expect(world.sent.arrived == [invoice.paymentHash])
    #expect(world.spentMsat == invoice.amountMsat)
    #expect(world.stored.channel?.htlcs == [])
    #expect(world.stored.payments == OutgoingPayments())
    #expect(world.past[invoice.paymentHash] == .paid)
  }

  @Test("It is durable before anything of it is sent")
  func durableFirst() throws {
    var world = try world()
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    settle(&world)
    var node = world.owners[0].machine
    let invoice = SentPayments.invoice(0)
    let payment = OutgoingPayment(
      paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat, paymentSecret: invoice.paymentSecret)
    let asked = node.handle(.payRequested(payment), at: world.now)
    guard case .write(let change, _)? = asked.first, asked.count == 1 else { return #expect(asked == []) }
    #expect(change.payments?.offered.map(\.paymentHash) == [invoice.paymentHash])
    #expect(change.channel?.htlcs.map(\.paymentHash) == [invoice.paymentHash])
    let written = node.handle(.written, at: world.now)
    #expect(written.contains(.paymentOffered(paymentHash: invoice.paymentHash)))
    #expect(written.contains { if case .send = $0 { true } else { false } })
  }

  @Test("What the other end does not know, knows otherwise or has been paid already comes back")
  func failed() throws {
    var world = try world()
    world.invoiceElsewhere(1)
    world.claim(leavingZombie: false)
    settle(&world)
    world.send(0)
    world.send(1, amountMsat: SentPayments.invoice(1).amountMsat - 1)
    settle(&world)
    let code = FailureCode.incorrectOrUnknownPaymentDetails
    #expect(world.sent.ended.map(\.end) == [.failed(code: code), .failed(code: code)])
    #expect(world.sent.arrived.isEmpty)
    #expect(world.spentMsat == 0)
    #expect(world.stored.payments == OutgoingPayments())
    // What failed may be tried again, and is another payment then.
    world.send(1)
    settle(&world)
    #expect(world.sent.arrived == [SentPayments.invoice(1).paymentHash])
    // A wallet that has lost its past pays no second time either.
    world.stored.payments = OutgoingPayments()
    world.past = PastPayments()
    world.claim(leavingZombie: false)
    settle(&world)
    world.send(1)
    settle(&world)
    #expect(world.sent.ended.last?.end == .failed(code: code))
    #expect(world.spentMsat == SentPayments.invoice(1).amountMsat)
  }

  @Test("The same invoice is paid once, whoever asks and whenever")
  func once() throws {
    var world = try world(delay: .seconds(10))
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    deliver(&world)
    world.send(0)
    world.send(0)
    deliver(&world)
    #expect(world.refusals == ["this invoice is being paid already; wait for its end"])
    world.claim(leavingZombie: false)
    deliver(&world)
    world.send(0)
    #expect(world.refusals.count == 2)
    settle(&world)
    world.send(0)
    #expect(world.refusals.last == "this invoice is paid already; ask for a new one")
    #expect(world.sent.offered.count == 1)
    #expect(world.spentMsat == SentPayments.invoice(0).amountMsat)
  }

  @Test("What the wallet does not have it does not send, and it says so")
  func noBalance() throws {
    var world = try world()
    world.claim(leavingZombie: false)
    settle(&world)
    world.send(0, amountMsat: NodeWorld.walletMsat + 1)
    #expect(
      world.refusals == [
        "the wallet can send 1,000,000 sat now, and this payment is of 1,000,000,001 msat; receive some first"
      ])
    #expect(world.sent.offered.isEmpty)
    #expect(world.owners[0].machine.wishes.isEmpty)
  }

  @Test("Who is not connected is paid for as soon as the wallet is, and refused after five seconds")
  func waiting() throws {
    var world = try world()
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    world.send(0)
    #expect(world.sent.offered.isEmpty)
    settle(&world)
    #expect(world.sent.arrived.count == 1)
    world.handle(.networkChanged(isThere: false), by: world.owners[0].id)
    world.send(1)
    settle(&world)
    #expect(world.refusals == [NodeMachine.payInVain])
    world.handle(.stopRequested(gracefully: true), by: world.owners[0].id)
    world.send(1)
    #expect(world.refusals.last == NodeRefusal.notHeldWords)
  }

  @Test("A wallet that is restored from the peer's backup knows what is on its way, and ends it")
  func restored() throws {
    var world = try world(delay: .seconds(10))
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    deliver(&world)
    world.send(0)
    deliver(&world)
    world.kill(world.owners[0].id)
    world.stored = NodeState()
    world.claim(leavingZombie: false)
    deliver(&world)
    #expect(world.stored.payments.pending.map(\.paymentHash) == [SentPayments.invoice(0).paymentHash])
    settle(&world)
    #expect(
      world.sent.ends(SentPayments.invoice(0).paymentHash) == [
        .paid(preimage: SentPayments.invoice(0).preimage)
      ])
  }

  @Test("A payment whose end was lost with the database is neither paid nor failed, and is not paid again")
  func lost() throws {
    var world = try world(delay: .seconds(10))
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    deliver(&world)
    world.send(0)
    deliver(&world)
    let (old, oldPast) = (world.stored, world.past)
    settle(&world)
    // The next payment's backup does not tell of this one any more.
    world.invoiceElsewhere(1)
    world.send(1)
    settle(&world)
    world.kill(world.owners[0].id)
    (world.stored, world.past) = (old, oldPast)
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.stored.payments == OutgoingPayments())
    #expect(world.past[SentPayments.invoice(0).paymentHash] == .lost)
    #expect(world.past[SentPayments.invoice(1).paymentHash] == .paid)
    world.send(0)
    #expect(
      world.refusals == [
        "this invoice may be paid: how its payment ended was lost with the wallet's database; ask the recipient, and if it is not paid, ask for a new one"
      ])
    #expect(world.sent.offered.count == 2)
  }

  @Test("What the node keeps, and its journal says of it at every start, does not grow with what is over")
  func bounded() throws {
    var world = try world()
    world.claim(leavingZombie: false)
    settle(&world)
    for number in 0..<40 {
      world.invoiceElsewhere(number)
      world.send(number)
      settle(&world)
    }
    #expect(world.sent.arrived.count == 40)
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.owners[0].machine.durableState.payments == OutgoingPayments())
  }

  @Test("Who wants to pay while the wallet is being restored is refused: its invoice may be paid already")
  func wantedDuringRestore() throws {
    var world = try world(delay: .seconds(10))
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    deliver(&world)
    let old = world.stored
    world.send(0)
    deliver(&world)
    world.kill(world.owners[0].id)
    // Its end comes into the channel, and the backup has it before the wallet's own tables do.
    world.claim(leavingZombie: false)
    settle(&world)
    world.kill(world.owners[0].id)
    (world.stored, world.past) = (old, PastPayments())
    world.claim(leavingZombie: false)
    world.send(0)
    settle(&world)
    #expect(world.refusals == [NodeMachine.payDuringRestore])
    #expect(world.sent.offered.count == 1)
  }

  @Test("The provider that starts again sends on what it had in its channel")
  func providerRestarts() throws {
    var world = try world(delay: .seconds(10))
    world.invoiceElsewhere(0)
    world.claim(leavingZombie: false)
    deliver(&world)
    world.send(0)
    deliver(&world)
    world.kill(world.owners[0].id)
    deliver(&world)
    world.peer = PeerMachine(
      configuration: .init(rules: NodeWorld.rules, startedAt: world.now, state: world.peer.state))
    world.tellPeer(.deadlineReached)
    #expect(world.sent.arrived == [SentPayments.invoice(0).paymentHash])
    world.claim(leavingZombie: false)
    settle(&world)
    #expect(world.sent.ended.count == 1)
  }

  @Test(
    "Deaths, zombies and blocked writes at any step: each payment is paid once, or failed with the money back",
    arguments: 0..<UInt64(300))
  func chaos(seed: UInt64) throws {
    var world = try world(seed, delay: seed.isMultiple(of: 2) ? .zero : .seconds(3))
    world.faultsAreOn = true
    // The peer knows the even ones.
    for number in 0..<6 where number.isMultiple(of: 2) { world.invoiceElsewhere(number) }
    for _ in 0..<600 {
      switch world.generator.below(26) {
      case 0: world.claim(leavingZombie: false)
      case 1: world.claim(leavingZombie: true)
      case 2: world.send(world.generator.below(6), by: world.owners.isEmpty ? nil : world.anyOwner)
      case 3: _ = world.letTimePass()
      case 4 where world.generator.below(8) == 0: world.payOnce(world.generator.below(2))
      default: _ = world.moveSomething()
      }
    }
    world.faultsAreOn = false
    world.claim(leavingZombie: true)
    settle(&world)
    for number in 0..<6 {
      let invoice = SentPayments.invoice(number)
      let offers = world.sent.offered.count { $0.paymentHash == invoice.paymentHash }
      let ends = world.sent.ends(invoice.paymentHash)
      #expect(offers == ends.count)
      #expect(world.sent.arrived.count { $0 == invoice.paymentHash } <= 1)
      let isPaid = world.sent.arrived.contains(invoice.paymentHash)
      #expect(ends.count { $0 == .paid(preimage: invoice.preimage) } == (isPaid ? 1 : 0))
      #expect(isPaid == (number.isMultiple(of: 2) && offers > 0))
    }
    let sentMsat = (0..<6).map(SentPayments.invoice).filter { world.sent.arrived.contains($0.paymentHash) }
      .reduce(UInt64(0)) { $0 + $1.amountMsat }
    let receivedMsat = world.amounts.reduce(UInt64(0), +)
    #expect(world.stored.channel?.localMsat == NodeWorld.walletMsat + receivedMsat - sentMsat)
    #expect(world.stored.channel?.htlcs == [])
    #expect(world.stored.payments.pending == [])
    #expect(!world.complaints.contains { $0.contains("data loss") || $0.contains("newer state") })
  }
}

extension NodeWorld {
  /// Zombies are asked as well: what they offer is nobody's.
  fileprivate var anyOwner: Int {
    mutating get { owners[generator.below(owners.count)].id }
  }

  /// Somebody pays the wallet in between.
  fileprivate mutating func payOnce(_ number: Int) {
    guard !peer.state.payments.contains(where: { $0.request.id == UInt64(number) }),
      !peer.state.isPaid(invoices[number].paymentHash)
    else { return }
    pay(number)
  }
}
