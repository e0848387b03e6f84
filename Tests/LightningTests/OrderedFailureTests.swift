@testable import Lightning
@testable import LightningProvider

/// Failures that a user has ordered, and the end of a hold.
@Suite("The LSP's failures on order") struct OrderedFailureTests {
  private static let code: UInt16 = 0x100C

  private func order(_ times: UInt64, _ code: UInt16 = code) -> PeerEvent {
    .failuresOrdered(OrderedFailures(code: code, times: times))
  }

  @Test(arguments: FailureCode.all)
  func `The next payments fail with each of BOLT 4's codes, and then none`(_ code: FailureCode) throws {
    var fixture = try PeerFixture.established()
    let order = OrderedFailures(code: code.rawValue, times: 2)
    expect(fixture.handle(.failuresOrdered(order)), is: [.store([.failuresOrdered(order)])])
    for number: UInt64 in [1, 2] {
      let failure = PaymentFailure.onOrder(code: code.rawValue)
      expect(
        fixture.pay(number),
        is: [
          .store([
            .paymentHeld(fixture.request(number, holdUntil: 60_000)), .orderedFailureUsed,
            .paymentFailed(payment: number, failure),
          ]), .answer(payment: number, .failed(failure)),
        ])
      #expect(failure.code == code.rawValue && failure.word == "on-order")
    }
    expect(others(fixture.pay(3)), is: [.answer(payment: 3, .offered)])
    #expect(fixture.peer.state.orderedFailures == nil)
  }

  @Test func `A payment that fails on order is not held, not pushed for, and may be paid again`() throws {
    var fixture = try PeerFixture(pushStrategy: .bitkit)
    _ = fixture.handle(order(1))
    expect(others(fixture.pay(1)), is: [.answer(payment: 1, .failed(.onOrder(code: Self.code)))])
    #expect(fixture.peer.state.payments == [] && fixture.peer.deadline == nil)
    let again = others(fixture.pay(1))
    #expect(again.last == .answer(payment: 1, .held) && again.count == 3)
  }

  @Test func `A request that is refused anyway does not use up the order`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1)
    _ = fixture.handle(order(1))
    expect(fixture.pay(1), is: [.answer(payment: 1, .failed(.alreadyPending))])
    expect(fixture.peer.state.orderedFailures?.left, is: 1)
  }

  @Test func `A new order replaces the one before, and an order of none cancels it`() throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(order(5))
    _ = fixture.handle(order(2, 0x2002))
    expect(fixture.peer.state.orderedFailures, is: OrderedFailures(code: 0x2002, times: 2))
    _ = fixture.handle(order(0))
    #expect(fixture.peer.state.orderedFailures == nil)
    expect(others(fixture.pay(1)).last, is: .answer(payment: 1, .held))
  }

  @Test func `A restarted LSP keeps what is left of the order`() throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(order(2))
    _ = fixture.pay(1)
    fixture.restart()
    expect(others(fixture.pay(2)), is: [.answer(payment: 2, .failed(.onOrder(code: Self.code)))])
    expect(others(fixture.pay(3)).last, is: .answer(payment: 3, .held))
  }

  @Test func `BOLT 4's names and codes belong together`() {
    expect(FailureCode.all.count, is: 22)
    for code in FailureCode.all { expect(code.name.flatMap { FailureCode(name: $0) }, is: code) }
    expect(FailureCode(name: "fee_insufficient")?.rawValue, is: 0x100C)
    #expect(FailureCode(name: "no_such_failure") == nil && FailureCode(name: "") == nil)
  }

  // MARK: The end of a hold

  @Test(.shows("B-1.8.5")) func `A hold that is over ends before a message of the wallet is processed`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.pay(1, holdUntil: 1000)
    _ = fixture.sendInit(1, fence(1))
    fixture.now = 1000
    let directives = fixture.hear(fixture.wallet.reestablish())
    expect(changes(directives).first, is: .paymentFailed(payment: 1, .recipientAway))
    #expect(messages(directives).allSatisfy { $0.type != 128 })
    expect(fixture.peer.state.payments, is: [])
  }

  @Test(.shows("B-1.8.5")) func `A hold that ended while the LSP was down ends at its next start`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1, holdUntil: 20_000)
    fixture.now = 15_000
    fixture.restart()
    #expect(fixture.peer.isHolding(fixture.request(1, holdUntil: 0).paymentHash))
    fixture.now = 30_000
    fixture.restart()
    expect(fixture.peer.deadline.map { $0 <= milliseconds(30_000) }, is: true)
    expect(others(fixture.handle(.deadlineReached)), is: [.answer(payment: 1, .failed(.recipientAway))])
  }
}
