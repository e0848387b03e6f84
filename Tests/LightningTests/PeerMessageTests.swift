import Ground
import Crypto
import LightningWire
import LightningChannel
import LightningProvider
import Testing

@Suite struct PeerMessageTests {
  @Test func `A ping is answered with the pong it asks for`() throws {
    var fixture = try PeerFixture()
    _ = fixture.greet(1, fence(1))
    #expect(
      fixture.handle(.received(connection: 1, .ping(Ping(pongSize: 2)))) == [
        .store([.frameActedOn(connection: 1)]), .send(connection: 1, .pong([0, 0])),
      ])
    #expect(
      fixture.handle(.received(connection: 1, .ping(Ping(pongSize: 65532)))) == [
        .store([.frameActedOn(connection: 1)])
      ])
  }

  @Test func `A backup is stored, and given back after the next init and before channel_reestablish`() throws
  {
    var fixture = try PeerFixture()
    _ = fixture.greet(1, fence(1))
    #expect(
      fixture.handle(.received(connection: 1, .peerStorage([1, 2]))) == [
        .store([.frameActedOn(connection: 1), .backup(connection: 1, [1, 2])])
      ])
    fixture.restart()
    let sent = messages(fixture.greet(2, fence(2)))
    #expect(sent.map(\.type) == [FenceAnswer.messageType, 9, 136])
    #expect(sent[1] == .peerStorageRetrieval([1, 2]))
  }

  @Test func `A breach of the protocol is answered with a warning and a close, and the channel is unharmed`()
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
    #expect(messages(directives).map(\.type) == [1], "an error would fail the channel, and this end keeps it")
    #expect(others(directives).count == 1)
    #expect(fixture.peer.state.channel.record == before)
    let all = try fixture.exchange(2, from: try fixture.establish(2))
    #expect(others(all).contains(.answer(payment: 1, .settled(preimage: preimage(1)))))
  }

  @Test func `An error of the wallet ends the connection without an error in return`() throws {
    var fixture = try PeerFixture()
    _ = fixture.greet(1, fence(1))
    let directives = fixture.handle(.received(connection: 1, .error(ErrorOrWarning(text: "no"))))
    #expect(messages(directives) == [])
    #expect(others(directives) == [.close(connection: 1, "the wallet reports: no")])
  }

  @Test func `A wallet that has forgotten is recorded as data loss, told so, and nothing is lost here`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1)
    let old = fixture.wallet.record
    _ = try fixture.exchange(1, from: fixture.pay(1))
    fixture.wallet = try Channel(restoring: old)
    let before = fixture.peer.state
    _ = fixture.greet(2, fence(1))
    let directives = fixture.handle(.received(connection: 2, fixture.wallet.reestablish()))
    #expect(changes(directives).contains(.dataLoss(connection: 2, .wallet)))
    #expect(messages(directives).map(\.type) == [1])
    #expect(others(directives).count == 1)
    #expect(fixture.peer.state.channel.record == before.channel.record)
  }

  @Test func `A provider that has forgotten is recorded as data loss and signs nothing`() throws {
    var fixture = try PeerFixture()
    let old = fixture.peer.state
    _ = try fixture.establish(1)
    _ = try fixture.exchange(1, from: fixture.pay(1))
    fixture.peer = PeerMachine(
      configuration: PeerMachine.Configuration(startedAt: milliseconds(0), state: old))
    fixture.wallet.disconnected()
    _ = fixture.greet(2, fence(1))
    let directives = fixture.handle(.received(connection: 2, fixture.wallet.reestablish()))
    #expect(changes(directives).contains(.dataLoss(connection: 2, .peer)))
    #expect(messages(directives).map(\.type) == [17])
  }

  @Test func `A payment of the wallet's own is refused, and its money goes back`() throws {
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

  @Test func `Spurious calls are no-ops`() throws {
    var fixture = try PeerFixture()
    _ = fixture.greet(1, fence(1))
    let before = fixture.peer
    #expect(fixture.handle(.deadlineReached) == [])
    #expect(fixture.handle(.connected(connection: 1)) == [])
    #expect(fixture.handle(.closed(connection: 9, "")) == [])
    #expect(fixture.peer == before)
  }

  @Test func `Whoever does not greet is hung up on after 10 s, and nobody else`() throws {
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
