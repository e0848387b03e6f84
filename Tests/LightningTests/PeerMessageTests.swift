@testable import Lightning
import LightningProvider

@Suite struct PeerMessageTests {
  @Test func `The LSP answers a ping with a pong of the requested size, from 65532 bytes with none`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    expect(
      fixture.hear(.ping(Ping(pongSize: 2))),
      is: [
        .store([.frameActedOn(connection: 1)]), .send(connection: 1, .pong([0, 0])),
      ])
    expect(fixture.hear(.ping(Ping(pongSize: 65532))), is: [.store([.frameActedOn(connection: 1)])])
  }

  @Test func `A backup is stored, and returned on the next connection just before channel_reestablish`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    expect(
      fixture.hear(.peerStorage([1, 2])),
      is: [
        .store([.frameActedOn(connection: 1), .backup(connection: 1, [1, 2])])
      ])
    fixture.restart()
    let sent = messages(fixture.sendInit(2, fence(2)))
    expect(sent.map(\.type), is: [FenceAnswer.messageType, 9, 136])
    expect(sent[1], is: .peerStorageRetrieval([1, 2]))
  }

  @Test func `A wrong preimage is answered with a warning and a close, and the channel is unchanged`() throws
  {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    let before = fixture.peer.state.channel.record
    let directives = fixture.hear(.fulfillHTLC(FulfillHTLC(channel: channelID, id: 0, preimage: preimage(2))))
    expect(messages(directives).map(\.type), is: [1], "a warning: an error would fail the channel")
    expect(others(directives).count, is: 1)
    expect(fixture.peer.state.channel.record, is: before)
    let all = try fixture.exchange(2, from: try fixture.establish(2))
    #expect(others(all).contains(.answer(payment: 1, .settled(preimage: preimage(1)))))
  }

  @Test func `An error from the wallet closes the connection without a reply`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    let directives = fixture.hear(.error(ErrorOrWarning(text: "no")))
    expect(messages(directives), is: [])
    expect(others(directives), is: [.close(connection: 1, "the wallet reports: no")])
  }

  @Test func `A wallet with an old channel state is recorded as data loss and gets a warning`() throws {
    var fixture = try PeerFixture.established()
    let old = fixture.wallet.record
    _ = try fixture.exchange(1, from: fixture.pay(1))
    fixture.wallet = try Channel(restoring: old)
    let before = fixture.peer.state
    _ = fixture.sendInit(2, fence(1))
    let directives = fixture.hear(fixture.wallet.reestablish(), on: 2)
    #expect(changes(directives).contains(.dataLoss(connection: 2, .wallet)))
    expect(messages(directives).map(\.type), is: [1])
    expect(others(directives).count, is: 1)
    expect(fixture.peer.state.channel.record, is: before.channel.record)
  }

  @Test func `An LSP with an old channel state records its data loss and sends an error`() throws {
    var fixture = try PeerFixture()
    let old = fixture.peer.state
    _ = try fixture.establish(1)
    _ = try fixture.exchange(1, from: fixture.pay(1))
    fixture.peer = PeerMachine(
      configuration: PeerMachine.Configuration(startedAt: milliseconds(0), state: old))
    fixture.wallet.disconnected()
    _ = fixture.sendInit(2, fence(1))
    let directives = fixture.hear(fixture.wallet.reestablish(), on: 2)
    #expect(changes(directives).contains(.dataLoss(connection: 2, .peer)))
    expect(messages(directives).map(\.type), is: [17])
  }

  @Test func `The wallet's payment of an invoice that the LSP does not know fails, and the amount returns`()
    throws
  {
    var fixture = try PeerFixture.established()
    _ = try fixture.exchange(1, from: fixture.pay(1))
    _ = try fixture.wallet.offer(amountMsat: 500, paymentHash: paymentHash(5), cltvExpiry: 700)
    _ = try fixture.exchange(1, from: [])
    expect(fixture.wallet.localMsat, is: 1000)
    #expect(fixture.wallet.htlcs.isEmpty && fixture.peer.state.channel.htlcs.isEmpty)
  }

  @Test func `An early deadline, a connection opened twice, and the close of an unknown one change nothing`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    let before = fixture.peer
    expect(fixture.handle(.deadlineReached), is: [])
    expect(fixture.handle(.connected(connection: 1)), is: [])
    expect(fixture.handle(.closed(connection: 9, "")), is: [])
    expect(fixture.peer, is: before)
  }

  @Test func `A connection without init is closed after 10 s, and the wallet's connection stays`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.handle(.connected(connection: 2))
    expect(fixture.peer.deadline, is: milliseconds(10_000))
    expect(fixture.wake(at: 9_999), is: [])
    fixture.now = 10_000
    let why = "no init came within 10 s: send it first"
    expect(
      fixture.handle(.deadlineReached),
      is: [
        .send(connection: 2, .warning(ErrorOrWarning(text: why))), .close(connection: 2, why),
      ])
    #expect(fixture.peer.deadline == nil)
    #expect(fixture.peer.isWalletConnected)
  }
}

@Suite struct PeerPaymentTests {
  private let push = PushRequest(reason: .incomingPayment, paymentHash: paymentHash(1), amountMsat: 1000)

  @Test func `A payment for a connected wallet is offered at once`() throws {
    var fixture = try PeerFixture.established()
    let directives = fixture.pay(1)
    expect(messages(directives).map(\.type), is: [128, 132])
    expect(others(directives), is: [.answer(payment: 1, .offered)])
    #expect(changes(directives).contains(.paymentOffered(payment: 1, htlc: 0)))
    #expect(changes(directives).contains(.channel(StoredChannel(fixture.peer.state.channel))))
  }

  @Test(.shows("B-1.8.1"))
  func `A payment for an offline wallet is held; a push is requested at once, the next is due in 30 s`()
    throws
  {
    var fixture = try PeerFixture()
    let directives = fixture.pay(1)
    guard case .store(let stored)? = directives.first, case .paymentHeld(let request)? = stored.first else {
      return #expect(Bool(false))
    }
    #expect(request.id == 1 && stored.count == 1)
    expect(others(directives), is: [.requestPush(push), .answer(payment: 1, .held)])
    expect(fixture.peer.deadline, is: milliseconds(30_000), "then it requests another push")
    #expect(fixture.peer.isHolding(paymentHash(1)))
  }

  @Test func `A wallet that has sent init but not channel_reestablish counts as offline`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    expect(others(fixture.pay(1)).first, is: .requestPush(push))
  }

  @Test(.shows("G-6")) func `Parts of one payment may be pending together until they reach the total`() throws
  {
    var fixture = try PeerFixture()
    let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)
    expect(others(fixture.part(1, 400, data)).last, is: .answer(payment: 1, .held))
    expect(fixture.part(2, 100, nil), is: [.answer(payment: 2, .failed(.alreadyPending))])
    let another = PaymentData(secret: paymentHash(51), totalMsat: 1000)
    expect(fixture.part(2, 100, another), is: [.answer(payment: 2, .failed(.alreadyPending))])
    let greater = PaymentData(secret: paymentHash(50), totalMsat: 1001)
    expect(fixture.part(2, 100, greater), is: [.answer(payment: 2, .failed(.alreadyPending))])
    expect(
      fixture.part(2, 601, data), is: [.answer(payment: 2, .failed(.alreadyPending))],
      "a part above the missing amount is refused: 400 and 1000 would pay 1400 for 1000")
    expect(fixture.part(2, 1000, data), is: [.answer(payment: 2, .failed(.alreadyPending))])
    expect(
      others(fixture.part(2, 600, data)), is: [.answer(payment: 2, .held)], "one push serves all held parts")
    expect(fixture.part(3, 1, data), is: [.answer(payment: 3, .failed(.alreadyPending))])
    fixture.restart()
    let offered = try fixture.establish(1)
    let additions = messages(offered).compactMap { if case .addHTLC(let body) = $0 { body } else { nil } }
    #expect(additions.map(\.amountMsat) == [400, 600] && additions.map(\.paymentData) == [data, data])
    let end = try fixture.exchange(1, from: offered)
    #expect(end.contains(.answer(payment: 1, .settled(preimage: preimage(9)))))
    #expect(end.contains(.answer(payment: 2, .settled(preimage: preimage(9)))))
    expect(fixture.part(3, 1, data), is: [.answer(payment: 3, .failed(.alreadyPaid))])
  }

  @Test func `Totals and amounts near UInt64.max are compared without overflow`() throws {
    var fixture = try PeerFixture()
    let data = PaymentData(secret: paymentHash(50), totalMsat: .max)
    for number in 1...20 {
      expect(
        others(fixture.part(UInt64(number), .max / 4, data)).last,
        is: .answer(payment: UInt64(number), number > 4 ? .failed(.alreadyPending) : .held))
    }
  }

  @Test(.shows("B-1.8.5")) func `A held payment fails with 0x1007 at its deadline, not before`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1)
    expect(fixture.wake(at: 59_998), is: [.requestPush(push)])
    expect(fixture.wake(at: 59_999), is: [])
    expect(fixture.peer.deadline, is: milliseconds(60_000))
    let directives = fixture.wake(at: 60_000)
    expect(
      directives,
      is: [
        .store([.paymentFailed(payment: 1, .recipientAway)]), .answer(payment: 1, .failed(.recipientAway)),
      ])
    expect(PaymentFailure.recipientAway.code, is: 0x1007)
    #expect(fixture.peer.deadline == nil)
    expect(fixture.handle(.deadlineReached), is: [])
  }

  @Test(.shows("B-1.8.7"))
  func `A payment that may not be held fails at once with 0x1007 if the wallet is offline`()
    throws
  {
    var fixture = try PeerFixture()
    expect(
      fixture.pay(1, holdUntil: 0),
      is: [
        .store([.paymentHeld(fixture.request(1, holdUntil: 0)), .paymentFailed(payment: 1, .recipientAway)]),
        .answer(payment: 1, .failed(.recipientAway)),
      ])
    expect(PaymentFailure.recipientAway.code, is: 0x1007)
    #expect(fixture.peer.deadline == nil)
  }

  @Test func `The LSP sets no deadline for an offered payment`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    expect(fixture.wake(at: 3_600_000), is: [])
    #expect(fixture.peer.deadline == nil)
  }

  @Test func `On re-establishment all held payments are offered, the oldest first`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1)
    _ = fixture.pay(2)
    let directives = try fixture.establish(1)
    expect(messages(directives).map(\.type), is: [128, 128, 132])
    expect(others(directives), is: [.answer(payment: 1, .offered), .answer(payment: 2, .offered)])
  }

  @Test(.shows("B-1.8.6"))
  func `A fulfilled payment is stored with its preimage before the sender is answered`() throws {
    var fixture = try PeerFixture.established()
    let all = try fixture.exchange(1, from: fixture.pay(1))
    let paid = LedgerChange.paymentPaid(payment: 1, preimage: preimage(1))
    let stored = try #require(all.firstIndex { changes([$0]).contains(paid) })
    let answered = try #require(all.firstIndex(of: .answer(payment: 1, .settled(preimage: preimage(1)))))
    #expect(stored < answered)
    expect(others(all).count, is: 1)
    expect(fixture.wallet.localMsat, is: 1000)
    expect(fixture.peer.state.channel.remoteMsat, is: 1000)
    #expect(fixture.peer.state.payments.isEmpty)
  }

  @Test func `The wallet's failure code reaches the sender`() throws {
    var fixture = try PeerFixture.established()
    let all = try fixture.exchange(1, from: fixture.pay(1), failingWith: 0x400f)
    expect(others(all), is: [.answer(payment: 1, .failed(.refusedByRecipient(code: 0x400f)))])
    #expect(changes(all).contains(.paymentFailed(payment: 1, .refusedByRecipient(code: 0x400f))))
    expect(fixture.peer.state.channel.localMsat, is: 1_000_000)
    // A failed payment may be tried again.
    expect(
      others(
        fixture.handle(
          .payRequested(
            PaymentRequest(id: 2, paymentHash: paymentHash(1), amountMsat: 5, holdUntil: milliseconds(9))))),
      is: [.answer(payment: 2, .offered)])
  }

  @Test func `A second payment of a pending or paid hash fails at once`() throws {
    var fixture = try PeerFixture.established()
    let offered = fixture.pay(1)
    let again = PeerEvent.payRequested(
      PaymentRequest(id: 2, paymentHash: paymentHash(1), amountMsat: 1000, holdUntil: milliseconds(9)))
    expect(fixture.handle(again), is: [.answer(payment: 2, .failed(.alreadyPending))])
    _ = try fixture.exchange(1, from: offered)
    expect(fixture.handle(again), is: [.answer(payment: 2, .failed(.alreadyPaid))])
    fixture.restart()
    expect(fixture.handle(again), is: [.answer(payment: 2, .failed(.alreadyPaid))])
  }

  @Test func `A payment to another node fails at once, once the wallet's node id is known`() throws {
    let wallet = try #require(PrivateKey(SHA256.hash([1]))).publicKey
    let other = try #require(PrivateKey(SHA256.hash([2]))).publicKey
    func pay(_ number: UInt64, to payee: PublicKey?) -> PeerEvent {
      .payRequested(
        PaymentRequest(
          id: number, paymentHash: paymentHash(number), amountMsat: 1000, holdUntil: milliseconds(9),
          payee: payee))
    }
    var fixture = try PeerFixture()
    expect(others(fixture.handle(pay(1, to: other))).last, is: .answer(payment: 1, .held))
    _ = fixture.visit(1, wallet, fence(1))
    expect(fixture.handle(pay(2, to: other)), is: [.answer(payment: 2, .failed(.anotherPayee))])
    expect(PaymentFailure.anotherPayee.code, is: 0x400a)
    expect(others(fixture.handle(pay(3, to: wallet))).last, is: .answer(payment: 3, .held))
    expect(others(fixture.handle(pay(4, to: nil))).last, is: .answer(payment: 4, .held))
  }

  @Test func `A payment above the balance, or of zero, fails at once`() throws {
    var fixture = try PeerFixture.established()
    expect(others(fixture.pay(1, msat: 1_000_001)), is: [.answer(payment: 1, .failed(.noBalance))])
    expect(fixture.pay(2, msat: 0), is: [.answer(payment: 2, .failed(.amountIsZero))])
    expect(others(fixture.pay(3, holdUntil: 0)), is: [.answer(payment: 3, .offered)])
  }

  @Test func `The thirty-first payment is held until an HTLC is settled`() throws {
    var fixture = try PeerFixture.established()
    var first: [PeerDirective] = []
    for number in UInt64(1)...30 { first += fixture.pay(number) }
    expect(others(fixture.pay(31)), is: [.answer(payment: 31, .held)])
    let all = try fixture.exchange(1, from: first)
    #expect(others(all).contains(.answer(payment: 31, .settled(preimage: preimage(31)))))
    expect(fixture.wallet.localMsat, is: 31_000)
  }

  @Test func `While the channel has 30 HTLCs no held payment fails for its balance`() throws {
    var fixture = try PeerFixture.established()
    for number in UInt64(1)...30 { _ = fixture.pay(number) }
    _ = fixture.pay(31)
    expect(others(fixture.pay(32, msat: 1_000_000)), is: [.answer(payment: 32, .held)])
  }

  @Test(arguments: [false, true])
  func `An offered payment is settled on the next connection, also after a restart of the LSP`(
    restarts: Bool
  ) throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    fixture.now = 5000
    if restarts { fixture.restart() } else { _ = fixture.handle(.closed(connection: 1, "gone")) }
    expect(fixture.peer.deadline, is: milliseconds(7000))
    let all = try fixture.exchange(2, from: try fixture.establish(2))
    expect(others(all), is: [.answer(payment: 1, .settled(preimage: preimage(1)))])
    expect(fixture.wallet.localMsat, is: 1000)
  }

  @Test func `An unresolved payment requests a push 2 s after the disconnect, and again after 60 s`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    fixture.now = 1000
    _ = fixture.handle(.closed(connection: 1, "gone"))
    expect(fixture.wake(at: 2999), is: [])
    fixture.now = 3000
    let call = PeerDirective.requestPush(
      PushRequest(reason: .pendingSettlement, paymentHash: paymentHash(1), amountMsat: 1000))
    expect(fixture.handle(.deadlineReached), is: [call])
    expect(fixture.wake(at: 62_999), is: [])
    expect(fixture.wake(at: 63_000), is: [call], "the wallet did not connect")
    _ = try fixture.establish(2)
    #expect(fixture.peer.deadline == nil)
    _ = fixture.handle(.closed(connection: 2, "gone"))
    expect(fixture.wake(at: 70_999), is: [], "the last connection resolved nothing")
    expect(fixture.wake(at: 71_000), is: [call])
  }
}
