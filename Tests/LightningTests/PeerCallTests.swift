import Ground
import Crypto
import LightningWire
import LightningProvider
import Testing

/// How often the wallet is called: each call is seen by a user.
@Suite("The calls of the provider") struct PeerCallTests {
  private let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)

  private func pushes(_ directives: [PeerDirective]) -> [PushReason] {
    directives.compactMap { if case .requestPush(let push) = $0 { push.reason } else { nil } }
  }

  /// The wallet comes, does nothing, and goes; says after how long it is called the next time.
  private func visit(_ fixture: inout PeerFixture, _ connection: UInt64) throws -> Int64? {
    _ = try fixture.establish(connection)
    fixture.now += 29_500
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    _ = fixture.handle(.closed(connection: connection, "its time is over"))
    guard let due = fixture.peer.deadline else { return nil }
    let span = due.nanoseconds / 1_000_000 - fixture.now
    fixture.now += span - 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [.pendingSettlement])
    return span
  }

  /// Nobody comes; says after how long the wallet is called the next time.
  private func nobody(_ fixture: inout PeerFixture, _ reason: PushReason = .pendingSettlement) throws -> Int64
  {
    let span = try #require(fixture.peer.deadline).nanoseconds / 1_000_000 - fixture.now
    fixture.now += span - 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [reason])
    return span
  }

  @Test("For a channel that has failed nobody is called, and nothing more is held")
  func failedChannel() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(fixture.peer.deadline != nil)
    var state = fixture.peer.state
    state.failure = "the per-commitment secret is wrong"
    fixture.peer = PeerMachine(
      configuration: PeerMachine.Configuration(
        rules: ConnectionRules(silence: nil), startedAt: milliseconds(fixture.now), state: state))
    #expect(fixture.peer.deadline == nil)
    fixture.now += 3_600_000
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    #expect(fixture.pay(2) == [.answer(payment: 2, .failed(.recipientAway))])
  }

  @Test("A wallet that does not come is called again, more and more seldom, but once an hour at least")
  func nobodyComes() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    var gaps: [Int64] = []
    for _ in 1...10 { gaps.append(try nobody(&fixture)) }
    #expect(gaps == [2, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { $0 * 1000 })
    _ = try fixture.establish(2)
    #expect(fixture.peer.deadline == nil)
    _ = fixture.handle(.closed(connection: 2, "gone"))
    #expect(try nobody(&fixture) == 2_048_000)
  }

  @Test("So is one that does not come for a payment that is held")
  func held() throws {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.pay(1, holdUntil: 100_000_000)) == [.incomingPayment])
    #expect(try nobody(&fixture, .incomingPayment) == 30_000)
    #expect(try nobody(&fixture, .incomingPayment) == 60_000)
    fixture.restart()
    #expect(try nobody(&fixture, .incomingPayment) == 2000, "nobody knows any more that it was called")
    fixture.now = 100_000_000
    #expect(pushes(fixture.handle(.deadlineReached)) == [], "the sender has given up")
    #expect(fixture.peer.deadline == nil)
  }

  @Test("Who pays only if the wallet is there calls it no sooner, and who is held calls it for all")
  func strangers() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(try nobody(&fixture) == 2000)
    #expect(try nobody(&fixture) == 60_000)
    let due = fixture.peer.deadline
    #expect(pushes(fixture.pay(2, holdUntil: 0)) == [])
    #expect(fixture.peer.deadline == due)
    fixture.now += 100_000
    #expect(pushes(fixture.pay(3, holdUntil: 100_000_000)) == [.incomingPayment])
    #expect(try nobody(&fixture) == 30_000, "one push is enough to come for both")
  }

  @Test("A wallet that ends no payment is called after 2, 4, 8 … 2048 s, and then once an hour")
  func gaps() throws {
    var fixture = try PeerFixture()
    _ = fixture.part(1, 400, data)
    var gaps: [Int64?] = []
    for connection in 1...13 as ClosedRange<UInt64> { gaps.append(try visit(&fixture, connection)) }
    #expect(gaps == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600].map { $0 * 1000 })
  }

  @Test("A payment that comes, or ends, makes the first gap short again")
  func short() throws {
    var fixture = try PeerFixture()
    _ = fixture.part(1, 400, data)
    for connection in 1...3 as ClosedRange<UInt64> { _ = try visit(&fixture, connection) }
    _ = fixture.pay(2, holdUntil: 100_000_000)
    #expect(try visit(&fixture, 4) == 2000)
    #expect(try visit(&fixture, 5) == 4000)
    let end = try fixture.exchange(6, from: try fixture.establish(6), failingWith: 23)
    #expect(others(end).count == 2)
    _ = fixture.pay(3, holdUntil: 100_000_000)
    #expect(try visit(&fixture, 7) == 2000)
  }

  @Test("A part that comes when the push for the others must be used up asks for one of its own")
  func pushInVain() throws {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.part(1, 400, data)) == [.incomingPayment])
    fixture.now = 29_999
    #expect(pushes(fixture.part(2, 100, data)) == [])
    fixture.now = 30_000
    #expect(pushes(fixture.part(3, 100, data)) == [.incomingPayment])
    #expect(pushes(fixture.part(4, 100, data)) == [])
    fixture.restart()
    #expect(pushes(fixture.part(5, 100, data)) == [.incomingPayment], "nobody knows any more when")
  }

  @Test(
    "Held parts of one payment ask for one push, and one that comes when nothing is held asks for the next")
  func onePush() throws {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.part(1, 400, data)) == [.incomingPayment])
    #expect(pushes(fixture.part(2, 100, data)) == [])
    #expect(pushes(fixture.pay(3)) == [.incomingPayment], "another payment")
    _ = try fixture.establish(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(pushes(fixture.part(4, 100, data)) == [.incomingPayment], "the others are in the channel by now")
    #expect(pushes(fixture.part(5, 100, data)) == [])
  }
}
