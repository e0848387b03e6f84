import Ground
import Crypto
import Lightning
import LightningProvider
import Testing

/// How often a push is requested: each one shows the user a notification.
@Suite("Push requests of the LSP") struct PeerPushTests {
  private let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)

  private func pushes(_ directives: [PeerDirective]) -> [PushReason] {
    directives.compactMap { if case .requestPush(let push) = $0 { push.reason } else { nil } }
  }

  /// The wallet connects for 29.5 s and resolves nothing. Returns the time until the next push.
  private func visit(_ fixture: inout PeerFixture, _ connection: UInt64) throws -> Int64? {
    _ = try fixture.establish(connection)
    fixture.now += 29_500
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    _ = fixture.handle(.closed(connection: connection, "the extension's time is over"))
    guard let due = fixture.peer.deadline else { return nil }
    let span = due.nanoseconds / 1_000_000 - fixture.now
    fixture.now += span - 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [.pendingSettlement])
    return span
  }

  /// The wallet does not connect. Returns the time until the next push.
  private func missed(_ fixture: inout PeerFixture, _ reason: PushReason = .pendingSettlement) throws -> Int64
  {
    let span = try #require(fixture.peer.deadline).nanoseconds / 1_000_000 - fixture.now
    fixture.now += span - 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [])
    fixture.now += 1
    #expect(pushes(fixture.handle(.deadlineReached)) == [reason])
    return span
  }

  @Test
  func `For a failed channel no push is requested and no payment held`() throws {
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
    #expect(fixture.pay(2) == [.answer(payment: 2, .failed(.channelFailed))])
  }

  @Test
  func `The gaps before the pushes to an absent wallet are 2, 60, 120, 240 … 3600 s`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    var gaps: [Int64] = []
    for _ in 1...10 { gaps.append(try missed(&fixture)) }
    #expect(gaps == [2, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { $0 * 1000 })
    _ = try fixture.establish(2)
    #expect(fixture.peer.deadline == nil)
    _ = fixture.handle(.closed(connection: 2, "gone"))
    #expect(try missed(&fixture) == 2_048_000)
  }

  @Test
  func `The LSP repeats the push for a held payment until the sender gives up`() throws {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.pay(1, holdUntil: 100_000_000)) == [.incomingPayment])
    #expect(try missed(&fixture, .incomingPayment) == 30_000)
    #expect(try missed(&fixture, .incomingPayment) == 60_000)
    fixture.restart()
    #expect(try missed(&fixture, .incomingPayment) == 2000, "a restart forgets the earlier pushes")
    fixture.now = 100_000_000
    #expect(pushes(fixture.handle(.deadlineReached)) == [], "the sender has given up")
    #expect(fixture.peer.deadline == nil)
  }

  @Test
  func `A payment that is not held requests no push; one push serves all held payments`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(try missed(&fixture) == 2000)
    #expect(try missed(&fixture) == 60_000)
    let due = fixture.peer.deadline
    #expect(pushes(fixture.pay(2, holdUntil: 0)) == [])
    #expect(fixture.peer.deadline == due)
    fixture.now += 100_000
    #expect(pushes(fixture.pay(3, holdUntil: 100_000_000)) == [.incomingPayment])
    #expect(try missed(&fixture) == 30_000, "one push serves both payments")
  }

  @Test
  func `A wallet that connects but resolves nothing gets a push 2, 4, 8 … 3600 s after each disconnect`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.part(1, 400, data)
    var gaps: [Int64?] = []
    for connection in 1...13 as ClosedRange<UInt64> { gaps.append(try visit(&fixture, connection)) }
    #expect(gaps == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600].map { $0 * 1000 })
  }

  @Test
  func `A new or ended payment resets the gap before the next push to 2 s`() throws {
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

  @Test
  func `A further part requests a push only 30 s after the last push`() throws {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.part(1, 400, data)) == [.incomingPayment])
    fixture.now = 29_999
    #expect(pushes(fixture.part(2, 100, data)) == [])
    fixture.now = 30_000
    #expect(pushes(fixture.part(3, 100, data)) == [.incomingPayment])
    #expect(pushes(fixture.part(4, 100, data)) == [])
    fixture.restart()
    #expect(
      pushes(fixture.part(5, 100, data)) == [.incomingPayment], "a restart forgets the time of the last push")
  }

  @Test
  func `Held parts of one payment share a push; a part that comes after their offer requests another push`()
    throws
  {
    var fixture = try PeerFixture()
    #expect(pushes(fixture.part(1, 400, data)) == [.incomingPayment])
    #expect(pushes(fixture.part(2, 100, data)) == [])
    #expect(pushes(fixture.pay(3)) == [.incomingPayment], "another payment")
    _ = try fixture.establish(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(pushes(fixture.part(4, 100, data)) == [.incomingPayment], "the other parts are in the channel")
    #expect(pushes(fixture.part(5, 100, data)) == [])
  }
}
