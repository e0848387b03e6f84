import Ground
import Crypto
import LightningWire
import Testing

@testable import Bitcoin
@testable import LightningProvider

/// Which pushes announce a payment in Bitkit's form.
@Suite("The LSP's pushes in Bitkit's form") struct PeerAnnouncementTests {
  private func pushes(_ directives: [PeerDirective]) -> [PushRequest] {
    directives.compactMap { if case .requestPush(let push) = $0 { push } else { nil } }
  }

  private func push(_ kind: PushKind, holdUntil: Int64?, reason: PushReason = .incomingPayment) -> PushRequest
  {
    PushRequest(
      reason: reason, paymentHash: paymentHash(1), amountMsat: 1000, kind: kind, payment: 1,
      holdUntil: holdUntil.map { milliseconds($0) })
  }

  @Test func `B-1.6.1, B-1.8.2 A held payment requests a silent push, and after it an alert`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let directives = fixture.pay(1)
    let both = [push(.silent, holdUntil: 60_000), push(.alert, holdUntil: 60_000)]
    #expect(pushes(directives) == both)
    #expect(both.allSatisfy { $0.isHeld && fixture.wants($0) })
    // Both are requested after the payment's row is durable.
    #expect(directives.first == .store([.paymentHeld(fixture.request(1, holdUntil: 60_000))]))
    fixture.now = 60_000
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    #expect(!both.contains { fixture.wants($0) })
  }

  @Test func `A payment in parts is announced with its whole amount`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let data = PaymentData(secret: paymentHash(7), totalMsat: 1000)
    #expect(pushes(fixture.part(1, 400, data)).map(\.amountMsat) == [1000, 1000])
  }

  @Test func `A payment that is not held requests both pushes too, and they say so`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let directives = fixture.pay(1, holdUntil: 0)
    let both = [push(.silent, holdUntil: nil), push(.alert, holdUntil: nil)]
    #expect(pushes(directives) == both)
    #expect(others(directives).first == .answer(payment: 1, .failed(.recipientAway)))
    #expect(both.allSatisfy { !$0.isHeld && fixture.wants($0) })
    _ = try fixture.establish(1)
    #expect(!both.contains { fixture.wants($0) }, "the app has come")
    #expect(pushes(fixture.pay(2, holdUntil: 0)) == [])
  }

  @Test func `A payment that is paid later is not announced any more as not held`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    let alert = try #require(pushes(fixture.pay(1, holdUntil: 0)).last)
    #expect(fixture.wants(alert))
    _ = try fixture.establish(1)
    _ = try fixture.exchange(1, from: fixture.pay(1))
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(fixture.peer.state.isPaid(paymentHash(1)) && !fixture.wants(alert))
  }

  @Test func `Both pushes are repeated while the payment is held, and while it waits in the channel`() throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = fixture.pay(1, holdUntil: 100_000)
    fixture.now = 30_000
    #expect(
      pushes(fixture.handle(.deadlineReached)) == [
        push(.silent, holdUntil: 100_000), push(.alert, holdUntil: 100_000),
      ])
    _ = try fixture.establish(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    // One call was not answered by then: the first call after the disconnect comes 4 s later.
    fixture.now += 4000
    let waiting = pushes(fixture.handle(.deadlineReached))
    #expect(
      waiting == [
        push(.silent, holdUntil: nil, reason: .pendingSettlement),
        push(.alert, holdUntil: nil, reason: .pendingSettlement),
      ])
    #expect(waiting.allSatisfy { $0.isHeld })
  }

  /// The hashes of the alerts, each of which follows its silent push.
  private func announced(_ directives: [PeerDirective]) -> [Bytes32?] {
    let pushes = pushes(directives)
    #expect(pushes.map(\.kind) == pushes.indices.map { $0.isMultiple(of: 2) ? .silent : .alert })
    return pushes.filter { $0.kind == .alert }.map(\.paymentHash)
  }

  @Test func `After a disconnect each payment in the channel is announced, and then the oldest again`() throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = try fixture.establish(1)
    for number: UInt64 in 1...3 { _ = fixture.pay(number, holdUntil: 0) }
    let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)
    for number: UInt64 in 4...5 { _ = fixture.part(number, 500, data) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    fixture.now += 1999
    #expect(announced(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(announced(fixture.handle(.deadlineReached)) == [1, 2, 3, 9].map { paymentHash($0) })
    fixture.now += 59_999
    #expect(announced(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(announced(fixture.handle(.deadlineReached)) == [paymentHash(1)])
    // The wallet comes and settles nothing: the user may have dismissed what was told before.
    _ = try fixture.establish(2)
    _ = fixture.handle(.closed(connection: 2, "killed"))
    fixture.now += 8000
    #expect(announced(fixture.handle(.deadlineReached)) == [1, 2, 3, 9].map { paymentHash($0) })
  }

  @Test func `A new payment right after a disconnect does not delay the announcements of the others`() throws
  {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = try fixture.establish(1)
    for number: UInt64 in 1...2 { _ = fixture.pay(number, holdUntil: 0) }
    _ = fixture.handle(.closed(connection: 1, "killed"))
    fixture.now += 1000
    #expect(announced(fixture.pay(3)) == [paymentHash(3)])
    fixture.now += 1000
    #expect(announced(fixture.handle(.deadlineReached)) == [1, 2].map { paymentHash($0) })
  }

  @Test func `After a restart of the LSP each payment is announced, held or in the channel`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = try fixture.establish(1)
    _ = fixture.pay(1, holdUntil: 0)
    _ = fixture.handle(.closed(connection: 1, "killed"))
    for number: UInt64 in 2...3 {
      #expect(announced(fixture.pay(number, holdUntil: 100_000)) == [paymentHash(number)])
    }
    fixture.restart()
    fixture.now += 2000
    #expect(announced(fixture.handle(.deadlineReached)) == [1, 2, 3].map { paymentHash($0) })
  }

  @Test func `Phoenix's form has one push, without the fields of Bitkit's`() throws {
    var fixture = try PeerFixture()
    #expect(
      pushes(fixture.pay(1)) == [
        PushRequest(reason: .incomingPayment, paymentHash: paymentHash(1), amountMsat: 1000)
      ])
    #expect(pushes(fixture.pay(2, holdUntil: 0)) == [])
  }
}
