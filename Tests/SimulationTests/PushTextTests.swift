import Ground
import Guardrails
import Testing

@testable import Simulation

/// The text of a push, compared with the container's receipts.
@Suite("The text of a push") struct PushTextTests {
  /// A world in which push 1's payment was received and its text shown, and the extension still runs.
  private func received() throws -> World {
    var settings = WorldSettings()
    settings.phone.afterContent = .run
    var world = try World.withAClosedApp(settings)
    world.make(.pay(0))
    world.live(for: .seconds(20))
    try #require(world.violation == nil && world.pushes.map(\.shown) == [1])
    try #require(world.container.value.isSettled(world.invoices[0].invoice.paymentHash))
    return world
  }

  private func process(in world: World) -> Life {
    Life(
      role: .extension, identity: ProcessIdentity(pid: 99, startTime: 99, boot: world.boot),
      settings: world.settings, now: world.now)
  }

  @Test
  func `A text that omits the push's settled payment is a violation, unless the process could not know`()
    throws
  {
    let before = try received()
    func violation(_ outcome: PushOutcome, _ change: (inout Life) -> Void = { _ in }) -> Invariant? {
      var world = before
      var life = process(in: world)
      change(&life)
      world.checkText(of: 1, outcome, life)
      return world.violation?.invariant
    }
    #expect(violation(.nothingReceived(.incomingPayment)) == .textIsTrue)
    #expect(violation(.partsGivenBack) == .textIsTrue)
    #expect(violation(.appContinues) == nil)
    #expect(violation(.nothingReceived(.incomingPayment)) { $0.emptyReads = [1] } == nil)
    #expect(violation(.nothingReceived(.incomingPayment)) { $0.emptyReads = [2] } == .textIsTrue)
    #expect(violation(.nothingReceived(.incomingPayment)) { $0.hasLostContainer = true } == nil)
  }

  @Test
  func `The text of a push without a payment hash reports no payment from before the push`() throws {
    var world = try received()
    let payment = ReceivedPayment(
      paymentHash: world.invoices[0].invoice.paymentHash, amountMsat: 1, text: "")
    world.pushing.add(WorldPush(id: 7, paymentHash: nil, reason: .incomingPayment, receivedBefore: 0))
    world.checkText(of: 7, .received(payment), process(in: world))
    #expect(world.violation == nil)
    world.pushing.add(WorldPush(id: 8, paymentHash: nil, reason: .incomingPayment, receivedBefore: 1))
    world.checkText(of: 8, .received(payment), process(in: world))
    #expect(world.violation?.invariant == .textIsTrue)
  }

  @Test(arguments: [StorageTrouble.blocked, .fails])
  func `The text reports a payment received during an earlier push although the first read fails`(
    trouble: StorageTrouble
  )
    throws
  {
    var world = try received()
    try #require(world.life(.extension) != nil)
    world.isRecorded = true
    world.make(.failStorage(.extension, StorageFault(.readPast, trouble)))
    let hash = world.invoices[0].invoice.paymentHash
    world.pushing.add(WorldPush(id: 7, paymentHash: hash, reason: .incomingPayment))
    world.lives.notifier?.value.inbox.append(
      .guardrail(.pushArrived(Push(id: 7, reason: .incomingPayment, paymentHash: hash))))
    world.live(for: .seconds(10))
    #expect(world.storage.armed.notifier == nil && world.violation == nil)
    let texts = world.said.compactMap { said -> PushOutcome? in
      if case .ordered(_, .phone(.deliver(push: 7, let outcome))) = said { outcome } else { nil }
    }
    #expect(texts.map(\.payment) == [hash])
  }

  @Test(arguments: [StorageTrouble.blocked, .fails, .lost])
  func `After a failed read the extension lives on; a lost container ends it`(trouble: StorageTrouble) throws
  {
    var world = try received()
    world.make(.failStorage(.extension, StorageFault(.readPast, trouble)))
    world.lives.notifier?.value.inbox.append(
      .guardrail(.pushArrived(Push(id: 7, reason: .incomingPayment))))
    world.live(for: .seconds(10))
    #expect(world.storage.armed.notifier == nil && world.violation == nil)
    #expect((world.life(.extension) == nil) == (trouble == .lost))
  }
}
