@testable import Lightning
@testable import Wallet
@testable import LightningProvider

/// The wallet names its push key, and hears on each connection which holds have ended.
@Suite("Push keys and ended holds") struct EndedHoldTests {
  private let key = PrivateKey(SHA256.hash([7])).map { CurvePoint($0.publicKey) } ?? .zeros

  /// An LSP whose wallet has named its push key, and is away.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture.established(pushStrategy: .bitkit)
    _ = fixture.hear(.pushKey(key))
    _ = fixture.handle(.closed(connection: 1, "gone"))
    return fixture
  }

  /// The payment is requested, held for a second, and fails.
  private func fail(_ number: UInt64, _ fixture: inout PeerFixture) -> [PeerDirective] {
    _ = fixture.pay(number, holdUntil: fixture.now + 1000)
    return fixture.wake(after: 1000)
  }

  private func ended(_ directives: [PeerDirective]) -> [Bytes32] {
    messages(directives).compactMap { if case .holdEnded(let hash) = $0 { hash } else { nil } }
  }

  @Test func `The push key is stored once, and another one replaces it`() throws {
    var fixture = try PeerFixture.established()
    let first = try #require(PrivateKey(SHA256.hash([7]))?.publicKey)
    expect(fixture.hear(.pushKey(key)), is: [.store([.frameActedOn(connection: 1), .pushKey(first)])])
    expect(fixture.hear(.pushKey(key)), is: [.store([.frameIgnored(connection: 1, "the push key is known")])])
    fixture.restart()
    expect(fixture.peer.state.pushKey, is: first)
    _ = try fixture.establish(2)
    let other = try #require(PrivateKey(SHA256.hash([8]))?.publicKey)
    _ = fixture.hear(.pushKey(CurvePoint(other)), on: 2)
    expect(fixture.peer.state.pushKey, is: other)
  }

  @Test func `A push key that is no point of the curve is ignored`() throws {
    var fixture = try PeerFixture.established()
    let said = fixture.hear(.pushKey(.zeros))
    expect(said, is: [.store([.frameIgnored(connection: 1, "the push key is no point of the curve")])])
    #expect(fixture.peer.state.pushKey == nil && fixture.peer.isWalletConnected)
  }

  @Test func `An unknown node's push key is ignored`() throws {
    let wallet = try #require(PrivateKey(SHA256.hash([1]))?.publicKey)
    let other = try #require(PrivateKey(SHA256.hash([2]))?.publicKey)
    var fixture = try PeerFixture()
    _ = fixture.visit(1, wallet, fence(1))
    _ = fixture.visit(2, other, nil)
    _ = fixture.hear(.pushKey(key), on: 2)
    #expect(fixture.peer.state.pushKey == nil)
  }

  @Test(.shows("G-1")) func `Each connection is told, after channel_reestablish, of the holds that ended`()
    throws
  {
    var fixture = try fixture()
    let failed = fail(1, &fixture)
    #expect(changes(failed).contains(.holdEnded(paymentHash: paymentHash(1))))
    _ = fail(2, &fixture)
    fixture.restart()
    for connection in [2, 3] as [UInt64] {
      let said = messages(fixture.sendInit(connection, fence(1)))
      let places = said.indices.filter { if case .channelReestablish = said[$0] { true } else { false } }
      expect(places.count, is: 1)
      expect(Array(said[(places[0] + 1)...]), is: [.holdEnded(paymentHash(1)), .holdEnded(paymentHash(2))])
      _ = fixture.handle(.closed(connection: connection, "gone"))
    }
  }

  @Test(.shows("G-1")) func `A connected wallet is told at once`() throws {
    var fixture = try fixture()
    _ = fixture.pay(1, holdUntil: 1000)
    // Registered, and without its channel_reestablish the channel takes no payment.
    _ = fixture.sendInit(2, fence(1))
    expect(ended(fixture.wake(at: 1000)), is: [paymentHash(1)])
  }

  @Test func `A hash that is paid for again is no longer an ended hold`() throws {
    var fixture = try fixture()
    _ = fail(1, &fixture)
    let again = fixture.pay(1, holdUntil: fixture.now + 1000)
    #expect(changes(again).contains(.endedHoldForgotten(paymentHash: paymentHash(1))))
    expect(ended(fixture.sendInit(2, fence(1))), is: [])
  }

  @Test func `A payment ends its hold when its last part fails`() throws {
    var fixture = try fixture()
    let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)
    _ = fixture.part(1, 400, data)
    fixture.now = 30_000
    _ = fixture.handle(
      .payRequested(
        PaymentRequest(
          id: 2, paymentHash: paymentHash(9), amountMsat: 100, holdUntil: milliseconds(90_000),
          paymentData: data)))
    #expect(!changes(fixture.wake(at: 60_000)).contains(.holdEnded(paymentHash: paymentHash(9))))
    #expect(changes(fixture.wake(at: 90_000)).contains(.holdEnded(paymentHash: paymentHash(9))))
  }

  @Test func `The newest 16 ended holds are kept`() throws {
    var fixture = try fixture()
    for number in 1...16 as ClosedRange<UInt64> { _ = fail(number, &fixture) }
    let last = fail(17, &fixture)
    #expect(changes(last).contains(.endedHoldForgotten(paymentHash: paymentHash(1))))
    expect(ended(fixture.sendInit(2, fence(1))), is: (2...17).map { paymentHash($0) })
  }

  @Test func `A payment beyond the balance of a connected wallet ends no hold`() throws {
    var fixture = try fixture()
    _ = try fixture.establish(2)
    #expect(others(fixture.pay(1, msat: 2_000_000)).contains(.answer(payment: 1, .failed(.noBalance))))
    #expect(fixture.peer.state.endedHolds == nil)
  }

  @Test func `A wallet without a push key is told of no ended hold`() throws {
    var fixture = try PeerFixture()
    _ = fail(1, &fixture)
    #expect(fixture.peer.state.endedHolds == nil && ended(fixture.sendInit(1, fence(1))) == [])
  }

  @Test(.shows("G-1")) func `The node names its push key on each connection, and reports the ended holds`()
    throws
  {
    var world = try NodeWorld(payments: 2)
    world.pushKey = key
    for _ in 1...2 {
      world.saidToPeer = []
      world.claimAndSettle()
      let types = world.saidToPeer
      let reestablish = try #require(types.firstIndex(of: 136))
      expect(types.filter { $0 == Message.pushKeyType }.count, is: 1)
      #expect(types.firstIndex(of: Message.pushKeyType) ?? 0 > reestablish)
    }
    expect(world.peer.state.pushKey.map { CurvePoint($0) }, is: key)
    world.kill()
    world.tellPeer(
      .payRequested(
        PaymentRequest(
          id: 0, paymentHash: world.invoices[0].paymentHash, amountMsat: 1000,
          holdUntil: world.now + .seconds(1))))
    world.now = world.now + .seconds(1)
    world.tellPeer(.deadlineReached)
    (world.news, world.endedHolds) = ([], [])
    world.claimAndSettle()
    #expect(world.endedHolds.contains(world.invoices[0].paymentHash))
    world.handle(.received(.holdEnded(world.invoices[1].paymentHash)))
    expect(world.endedHolds.last, is: world.invoices[1].paymentHash)
  }

  @Test func `A node without a push key names none, and ignores ended holds`() throws {
    var world = try NodeWorld.connected(payments: 1)
    #expect(!world.saidToPeer.contains(Message.pushKeyType))
    (world.news, world.endedHolds) = ([], [])
    world.handle(.received(.holdEnded(world.invoices[0].paymentHash)))
    #expect(world.news == [] && world.endedHolds == [] && world.troubles == [])
  }
}
