import Crypto
import Guardrails
import Heartbeat
import Lightning
import LightningProvider
import PhonePolicy

@testable import Simulation
@testable import Wallet

@Suite("Outgoing payments in runs of a seed") struct SendingTests {
  @Test(.shows("P-1.3"))
  func
    `Outgoing payments settle in the runs, and no app process has a task for an earlier process's payment`()
  {
    var (sent, arrived, restarts, pendingAtStart) = (0, 0, 0, 0)
    for seed in 1...16 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      var pid: Int32 = 0
      let result = run.run { world in
        guard let life = world.life(.app) else { return }
        if life.wallet.requests.generation == 0 {
          let names = life.wallet.guardrail.taskNames
          #expect(names.allSatisfy { .named($0) == LongLivedTask.multiPartPayment }, "seed \(seed)")
        }
        guard life.claim != nil, life.identity.pid != pid else { return }
        pid = life.identity.pid
        restarts += 1
        pendingAtStart += world.container.value.node.payments.pending.count
      }
      #expect(result.violation == nil, "baton replay --seed \(seed)")
      sent += result.sent
      arrived += result.arrived
    }
    #expect(sent > 60)
    #expect(arrived > 30 && arrived < sent)
    #expect(restarts > 100)
    #expect(pendingAtStart > 3)
  }

  // MARK: The checks find violations

  private func world() -> (World, WorldSend) {
    var world = World()
    world.makeExternalInvoice()
    return (world, world.sends[0])
  }

  private func offer(_ invoice: WorldSend, htlc: UInt64 = 0) -> PaymentChange {
    PaymentChange(offered: [payment(invoice, htlc)])
  }

  private func payment(_ invoice: WorldSend, _ htlc: UInt64) -> OutgoingPayment {
    OutgoingPayment(
      paymentHash: invoice.invoice.paymentHash, amountMsat: invoice.invoice.amountMsat,
      paymentSecret: invoice.invoice.paymentSecret, htlc: htlc)
  }

  private func end(_ invoice: WorldSend, _ end: PaymentEnd, htlc: UInt64 = 0) -> PaymentChange {
    PaymentChange(ended: [PaymentChange.Ended(payment: payment(invoice, htlc), end: end)])
  }

  @Test func `An outgoing payment that is offered, fulfilled and stored breaks no invariant`() {
    var (world, invoice) = world()
    world.store(offer(invoice))
    world.arrived(invoice.invoice.paymentHash, 0)
    world.store(end(invoice, .paid(preimage: invoice.invoice.preimage)))
    #expect(world.violation == nil)
    expect(world.container.value.node.payments.pending, is: [])
    expect(world.container.value.past[invoice.invoice.paymentHash], is: .paid)
  }

  @Test func `Offering a second HTLC for an invoice that is pending or paid breaks an invariant`() {
    for isPaid in [false, true] {
      var (world, invoice) = world()
      world.store(offer(invoice))
      if isPaid {
        world.arrived(invoice.invoice.paymentHash, 0)
        world.store(end(invoice, .paid(preimage: invoice.invoice.preimage)))
      }
      world.store(offer(invoice, htlc: 1))
      expect(world.violation?.invariant, is: .sentOnce)
    }
  }

  @Test func `A payee paid twice, or without a pending payment, is a violation`() {
    var (world, invoice) = world()
    world.arrived(invoice.invoice.paymentHash, 0)
    expect(world.violation?.sentence, is: "A payee is paid, but the wallet has no such pending payment.")
    (world, invoice) = self.world()
    world.store(offer(invoice))
    world.arrived(invoice.invoice.paymentHash, 0)
    #expect(world.violation == nil)
    world.arrived(invoice.invoice.paymentHash, 0)
    expect(world.violation?.sentence, is: "A payee is paid twice for one invoice.")
  }

  @Test func `A false outcome of a payment, or the end of a payment that is not pending, is a violation`() {
    let code = FailureCode.incorrectOrUnknownPaymentDetails
    var (world, invoice) = world()
    world.store(offer(invoice))
    world.store(end(invoice, .paid(preimage: invoice.invoice.preimage)))
    expect(world.violation?.sentence, is: "The wallet marks a payment as paid that has not arrived.")
    (world, invoice) = self.world()
    world.store(offer(invoice))
    world.arrived(invoice.invoice.paymentHash, 0)
    world.store(end(invoice, .failed(code: code)))
    expect(world.violation?.sentence, is: "The wallet marks a payment as failed that has arrived.")
    (world, invoice) = self.world()
    world.store(end(invoice, .failed(code: code)))
    expect(world.violation?.sentence, is: "A payment ends that is not pending in the wallet.")
  }

  @Test func `Money that left without a recorded payment, or a wrong balance, is a violation at the end`() {
    var (world, invoice) = world()
    world.store(offer(invoice))
    world.arrived(invoice.invoice.paymentHash, 0)
    world.container.value.node.payments = OutgoingPayments()
    world.checkSendsAtTheEnd()
    expect(world.violation?.sentence, is: "Money has left the wallet without a recorded payment.")
    (world, invoice) = self.world()
    world.store(offer(invoice))
    world.arrived(invoice.invoice.paymentHash, 0)
    world.store(end(invoice, .paid(preimage: invoice.invoice.preimage)))
    // The balance of this world's channel has not changed.
    world.checkSendsAtTheEnd()
    expect(
      world.violation?.sentence,
      is: "The wallet's balance is not the initial one plus received less sent amounts.")
  }

  @Test(.shows("P-1.2", "P-1.3"))
  func `An app suspended with a payment pending, or with a task for an ended one, is a violation`()
    throws
  {
    var (world, invoice) = world()
    world.clock.pass(until: .zero + .seconds(60))
    world.sending.ask(0, as: 1, at: world.now)
    let identity = ProcessIdentity(pid: 1, startTime: 1, boot: world.boot)
    var life = Life(role: .app, identity: identity, settings: world.settings, now: .zero)
    life.inbox = []
    let payment = OutgoingPayment(
      paymentHash: invoice.invoice.paymentHash, amountMsat: 1, paymentSecret: invoice.invoice.paymentSecret)
    _ = life.wallet.requests.handle(.asked("1", .payment(payment)), at: world.now)
    let task = try #require(life.wallet.requests.open.first?.task)
    var excused = life
    excused.excusedTasks = 1
    world.checkPaymentsLetSleep(excused)
    #expect(world.violation == nil)
    world.checkPaymentsLetSleep(life)
    expect(world.violation?.invariant, is: .awakeForPayments)
    (world, invoice) = self.world()
    _ = life.wallet.handle(.guardrail(.taskBegan(task)), at: world.now)
    world.checkTasksOfPayments(life)
    #expect(world.violation == nil)
    life.wallet.requests = Requests()
    _ = life.wallet.requests.handle(.asked("2", .payment(payment)), at: world.now)
    _ = life.wallet.requests.handle(.node(.ended(.payment(payment.paymentHash))), at: world.now)
    world.checkTasksOfPayments(life)
    expect(world.violation?.sentence, is: "The app has a task for a request that has ended.")
  }

  @Test func `An app that waits for a payment after the payment's end is a violation`() throws {
    var world = World(settings: WorldSettings())
    world.make(.open)
    world.settle(until: { $0.isSettled })
    world.make(.send(0, isKnown: true))
    world.settle(until: { $0.lives.app?.value.wallet.requests.open.first?.isBegun == true })
    let waiting = try #require(world.lives.app?.value.wallet.requests)
    world.settle(until: {
      $0.sends[0].hasArrived && $0.isSettled && $0.lives.app?.value.isIdle == true
    })
    var life = try #require(world.lives.app?.value)
    world.checkTasksOfPayments(life)
    #expect(world.violation == nil)
    life.wallet.requests = waiting
    world.checkTasksOfPayments(life)
    expect(world.violation?.sentence, is: "The app treats an ended payment as pending.")
  }
}

/// Senders that try again, against the wallet's own processes.
@Suite("Senders that try again") struct RetryingTests {
  /// The app has made an invoice and was closed; the next push is lost, so nobody comes by itself.
  private func closed(_ policy: RetryPolicy, hold: TimeSpan) -> World {
    var settings = WorldSettings()
    settings.retries = policy
    settings.holdTime = hold
    var world = World(settings: settings)
    world.make(.open)
    world.live(for: .seconds(10))
    world.make(.invoice)
    world.live(for: .seconds(1))
    world.make(.quit)
    world.live(for: .seconds(2))
    world.make(.losePush)
    return world
  }

  @Test(.shows("B-0.6"), arguments: [RetryPolicy.interim, .hint])
  func `A payment to a closed app settles with a later attempt, after the app is opened`(
    policy: RetryPolicy
  ) throws {
    var world = closed(policy, hold: .zero)
    world.make(.pay(0))
    expect(world.payments.map(\.state), is: [.failed])
    world.make(.open)
    world.live(for: .seconds(20))
    let sender = try #require(world.retryingSenders.first)
    expect(sender.told, is: .settled)
    #expect(sender.payments.count > 1 && sender.payments.count == sender.machine.attempt)
    expect(world.payments.map(\.state), is: world.payments.dropLast().map { _ in .failed } + [.paid])
    #expect(world.violation == nil)
  }

  @Test(.shows("K-12")) func `A payment held beyond the deadline is pending, then settled, with one attempt`()
    throws
  {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.live(for: .seconds(13))
    expect(world.retryingSenders.first?.told, is: .pending)
    world.make(.open)
    world.live(for: .seconds(6))
    expect(world.retryingSenders.first?.told, is: .settled)
    expect(world.payments.count, is: 1)
    #expect(world.violation == nil)
  }

  @Test func `A sender that nobody answers gives up before its deadline, and may be asked again`() {
    var world = closed(.interim, hold: .zero)
    world.make(.pay(0))
    world.live(for: .seconds(13))
    #expect((3...4).contains(world.payments.count))
    guard case .failed? = world.retryingSenders.first?.told else {
      Issue.record("the sender was not told that the payment failed")
      return
    }
    world.make(.open)
    world.live(for: .seconds(10))
    world.make(.pay(0))
    world.live(for: .seconds(1))
    expect(world.retryingSenders.map(\.told), is: [.settled])
    #expect(world.violation == nil)
  }

  @Test func `Among 24 runs some have senders that try again, with and without success`() {
    var later = 0
    var failed = 0
    var pending = 0
    for seed in 1...24 as ClosedRange<UInt64> {
      var run = SeedRun(RunSettings(seed: seed))
      #expect(run.run().violation == nil, "baton replay --seed \(seed)")
      for sender in run.world.retryingSenders {
        if sender.told == .settled, sender.payments.count > 1 { later += 1 }
        if case .failed? = sender.told { failed += 1 }
        if sender.told == .pending { pending += 1 }
      }
    }
    #expect(later > 5)
    #expect(failed > 5)
    expect(pending, is: 0)
  }

  // MARK: Each check finds its violation

  @Test func `A second attempt while one is under way is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.request(0, part: 1, of: 1, as: 99)
    #expect(world.violation == nil)
    world.make(.pay(0))
    expect(world.violation?.invariant, is: .senderKnows)
  }

  @Test func `A payment that settles after its sender was told “failed” is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.senders[0].told = .failed(
      SenderFailure(failure: .routeNotFound, code: nil, attempts: 1, end: .deadline))
    world.make(.open)
    world.live(for: .seconds(6))
    expect(world.violation?.invariant, is: .senderKnows)
  }

  @Test func `A sender without its final outcome at the end is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.live(for: .seconds(13))
    world.checkSendersAtTheEnd()
    expect(world.violation?.invariant, is: .senderKnows)
  }

  @Test func `A payment settled twice is a violation`() {
    var world = closed(.interim, hold: .zero)
    world.make(.open)
    world.live(for: .seconds(5))
    world.make(.pay(0))
    world.live(for: .seconds(1))
    #expect(world.payments.map(\.state) == [.paid] && world.violation == nil)
    _ = world.invoicing.pay(0, part: 1, of: 1, as: 99, at: world.peerNow)
    _ = world.invoicing.noteSettled(99, at: world.peerNow)
    world.checkPaidOnce(99)
    expect(world.violation?.invariant, is: .senderKnows)
  }
}

@Suite("A lone part of a payment, with the app closed") struct LonePartTests {
  @Test
  func `If only one of two parts arrives, it is failed after a minute, and the user sees two notifications`()
    throws
  {
    var world = try World.withAClosedApp()
    world.make(.payPart(0, part: 1, of: 2))
    world.live(for: .seconds(59))
    expect(world.payments.map(\.state), is: [.underWay])
    expect(world.container.value.node.channel?.htlcs.count, is: 1)
    world.live(for: .seconds(16))
    expect(world.payments.map(\.state), is: [.failed])
    #expect(world.container.value.node.channel?.htlcs == [] && world.container.value.waits == [])
    // No further push is sent for the failed part.
    world.live(for: .seconds(600))
    expect(world.pushes.map(\.reason), is: [.incomingPayment, .pendingSettlement])
    expect(world.pushes.map(\.shown), is: [1, 1])
    #expect(world.violation == nil)
  }
}
