import Ground
import LightningProvider
import Lightning
import Testing

@testable import Simulation

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

  @Test(arguments: [RetryPolicy.interim, .hint])
  func `B-0.6 A payment to a closed app settles with a later attempt, after the app is opened`(
    policy: RetryPolicy
  ) throws {
    var world = closed(policy, hold: .zero)
    world.make(.pay(0))
    #expect(world.payments.map(\.state) == [.failed])
    world.make(.open)
    world.live(for: .seconds(20))
    let sender = try #require(world.retryingSenders.first)
    #expect(sender.told == .settled)
    #expect(sender.payments.count > 1 && sender.payments.count == sender.machine.attempt)
    #expect(world.payments.map(\.state) == world.payments.dropLast().map { _ in .failed } + [.paid])
    #expect(world.violation == nil)
  }

  @Test func `K-12 A payment held beyond the deadline is pending, then settled, with one attempt`() throws {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.live(for: .seconds(13))
    #expect(world.retryingSenders.first?.told == .pending)
    world.make(.open)
    world.live(for: .seconds(6))
    #expect(world.retryingSenders.first?.told == .settled)
    #expect(world.payments.count == 1)
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
    #expect(world.retryingSenders.map(\.told) == [.settled])
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
    #expect(pending == 0)
  }

  // MARK: Each check finds its violation

  @Test func `A second attempt while one is under way is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.request(0, part: 1, of: 1, as: 99)
    #expect(world.violation == nil)
    world.make(.pay(0))
    #expect(world.violation?.invariant == .senderKnows)
  }

  @Test func `A payment that settles after its sender was told “failed” is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.senders.note(
      0, told: .failed(SenderFailure(failure: .routeNotFound, code: nil, attempts: 1, end: .deadline)))
    world.make(.open)
    world.live(for: .seconds(6))
    #expect(world.violation?.invariant == .senderKnows)
  }

  @Test func `A sender without its final outcome at the end is a violation`() {
    var world = closed(.interim, hold: .seconds(20))
    world.make(.pay(0))
    world.live(for: .seconds(13))
    world.checkSendersAtTheEnd()
    #expect(world.violation?.invariant == .senderKnows)
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
    #expect(world.violation?.invariant == .senderKnows)
  }
}
