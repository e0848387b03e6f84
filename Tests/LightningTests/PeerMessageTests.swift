import Ground
import Crypto
import Lightning
import LightningProvider
import Testing

@Suite struct PeerMessageTests {
  @Test func `The LSP answers a ping with a pong of the requested size, from 65532 bytes with none`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    #expect(
      fixture.handle(.received(connection: 1, .ping(Ping(pongSize: 2)))) == [
        .store([.frameActedOn(connection: 1)]), .send(connection: 1, .pong([0, 0])),
      ])
    #expect(
      fixture.handle(.received(connection: 1, .ping(Ping(pongSize: 65532)))) == [
        .store([.frameActedOn(connection: 1)])
      ])
  }

  @Test func `A backup is stored, and returned on the next connection just before channel_reestablish`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    #expect(
      fixture.handle(.received(connection: 1, .peerStorage([1, 2]))) == [
        .store([.frameActedOn(connection: 1), .backup(connection: 1, [1, 2])])
      ])
    fixture.restart()
    let sent = messages(fixture.sendInit(2, fence(2)))
    #expect(sent.map(\.type) == [FenceAnswer.messageType, 9, 136])
    #expect(sent[1] == .peerStorageRetrieval([1, 2]))
  }

  @Test func `A wrong preimage is answered with a warning and a close, and the channel is unchanged`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.pay(1)
    let before = fixture.peer.state.channel.record
    let directives = fixture.handle(
      .received(
        connection: 1,
        .fulfillHTLC(FulfillHTLC(channel: channelID, id: 0, preimage: preimage(2)))))
    #expect(messages(directives).map(\.type) == [1], "a warning: an error would fail the channel")
    #expect(others(directives).count == 1)
    #expect(fixture.peer.state.channel.record == before)
    let all = try fixture.exchange(2, from: try fixture.establish(2))
    #expect(others(all).contains(.answer(payment: 1, .settled(preimage: preimage(1)))))
  }

  @Test func `An error from the wallet closes the connection without a reply`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    let directives = fixture.handle(.received(connection: 1, .error(ErrorOrWarning(text: "no"))))
    #expect(messages(directives) == [])
    #expect(others(directives) == [.close(connection: 1, "the wallet reports: no")])
  }

  @Test func `A wallet with an old channel state is recorded as data loss and gets a warning`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    let old = fixture.wallet.record
    _ = try fixture.exchange(1, from: fixture.pay(1))
    fixture.wallet = try Channel(restoring: old)
    let before = fixture.peer.state
    _ = fixture.sendInit(2, fence(1))
    let directives = fixture.handle(.received(connection: 2, fixture.wallet.reestablish()))
    #expect(changes(directives).contains(.dataLoss(connection: 2, .wallet)))
    #expect(messages(directives).map(\.type) == [1])
    #expect(others(directives).count == 1)
    #expect(fixture.peer.state.channel.record == before.channel.record)
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
    let directives = fixture.handle(.received(connection: 2, fixture.wallet.reestablish()))
    #expect(changes(directives).contains(.dataLoss(connection: 2, .peer)))
    #expect(messages(directives).map(\.type) == [17])
  }

  @Test func `The wallet's payment of an invoice that the LSP does not know fails, and the amount returns`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.exchange(
      1,
      from: try {
        _ = try fixture.establish(1); return fixture.pay(1)
      }())
    _ = try fixture.wallet.offer(amountMsat: 500, paymentHash: paymentHash(5), cltvExpiry: 700)
    _ = try fixture.exchange(1, from: [])
    #expect(fixture.wallet.localMsat == 1000)
    #expect(fixture.wallet.htlcs.isEmpty && fixture.peer.state.channel.htlcs.isEmpty)
  }

  @Test
  func `An early deadline, a connection opened twice, and the close of an unknown one change nothing`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(1))
    let before = fixture.peer
    #expect(fixture.handle(.deadlineReached) == [])
    #expect(fixture.handle(.connected(connection: 1)) == [])
    #expect(fixture.handle(.closed(connection: 9, "")) == [])
    #expect(fixture.peer == before)
  }

  @Test func `A connection without init is closed after 10 s, and the wallet's connection stays`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    _ = fixture.handle(.connected(connection: 2))
    #expect(fixture.peer.deadline == milliseconds(10_000))
    fixture.now = 9_999
    #expect(fixture.handle(.deadlineReached) == [])
    fixture.now = 10_000
    let why = "no init came within 10 s: send it first"
    #expect(
      fixture.handle(.deadlineReached) == [
        .send(connection: 2, .warning(ErrorOrWarning(text: why))), .close(connection: 2, why),
      ])
    #expect(fixture.peer.deadline == nil)
    #expect(fixture.peer.isWalletConnected)
  }
}
