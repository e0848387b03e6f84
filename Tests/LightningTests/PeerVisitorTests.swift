import CoreShape
import Crypto
import Testing

@testable import Lightning

@Suite("A node with which the provider has no channel")
struct PeerVisitorTests {
  private func node(_ number: UInt8) throws -> PublicKey {
    try #require(PrivateKey(SHA256.hash([number]))).publicKey
  }

  /// The wallet, node 1, is connected as 1; a visitor, node 2, as 2.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture()
    _ = fixture.handle(.connected(connection: 1, node: try node(1)))
    _ = fixture.handle(.received(connection: 1, .greeting(Greeting(fence: fence(1)))))
    #expect(fixture.peer.isWalletConnected)
    _ = fixture.handle(.connected(connection: 2, node: try node(2)))
    return fixture
  }

  @Test(
    "is greeted and is no wallet, whatever claim it shows: the fence stays, and the wallet's connection with it"
  )
  func claims() throws {
    var fixture = try fixture()
    let said = fixture.handle(.received(connection: 2, .greeting(Greeting(fence: fence(1000)))))
    #expect(
      said == [
        .store([
          .frameActedOn(connection: 2), .connectionJudged(connection: 2, .visitor, nil),
        ]),
        .send(connection: 2, .greeting(Greeting())),
      ])
    #expect(fixture.peer.state.fence == fence(1))
    #expect(fixture.peer.registered == 1)
  }

  @Test("is answered when it pings, and its backup is not kept")
  func pings() throws {
    var fixture = try fixture()
    _ = fixture.handle(.received(connection: 2, .greeting(Greeting())))
    #expect(
      fixture.handle(.received(connection: 2, .ping(Ping(pongSize: 2))))
        == [.store([.frameActedOn(connection: 2)]), .send(connection: 2, .pong([0, 0]))])
    _ = fixture.handle(.received(connection: 2, .peerStorage([1, 2])))
    #expect(fixture.peer.state.backup == nil)
  }

  @Test("is hung up on when it speaks of a channel, and nothing of the channel changes")
  func speaksOfTheChannel() throws {
    var fixture = try fixture()
    _ = fixture.handle(.received(connection: 2, .greeting(Greeting())))
    let channel = fixture.peer.state.channel
    let said = fixture.handle(
      .received(
        connection: 2,
        .channelReestablish(
          ChannelReestablish(
            channel: SHA256.hash([9]), nextCommitmentNumber: 1, nextRevocationNumber: 0,
            yourLastPerCommitmentSecret: .zero))))
    #expect(said.contains(.close(connection: 2, "There is no channel with this node.")))
    let error = Message.error(
      Complaint(channel: SHA256.hash([9]), text: "There is no channel with this node."))
    #expect(said.contains(.send(connection: 2, error)))
    #expect(fixture.peer.state.channel == channel)
    #expect(fixture.peer.registered == 1)
  }

  @Test("stays one when it comes first to a provider that has its wallet, and the wallet is known again")
  func restart() throws {
    var after = try fixture()
    after.restart()
    _ = after.handle(.connected(connection: 3, node: try node(2)))
    _ = after.handle(.received(connection: 3, .greeting(Greeting(fence: fence(2)))))
    #expect(!after.peer.isWalletConnected)
    _ = after.handle(.connected(connection: 4, node: try node(1)))
    _ = after.handle(.received(connection: 4, .greeting(Greeting(fence: fence(2)))))
    #expect(after.peer.registered == 4)
  }

  @Test("is no wallet either when it is the first to come, and shows no claim")
  func first() throws {
    var fixture = try PeerFixture()
    _ = fixture.handle(.connected(connection: 1, node: try node(2)))
    _ = fixture.handle(.received(connection: 1, .greeting(Greeting())))
    #expect(fixture.peer.state.wallet == nil)
    #expect(!fixture.peer.isWalletConnected)
    _ = fixture.handle(.connected(connection: 2, node: try node(1)))
    _ = fixture.handle(.received(connection: 2, .greeting(Greeting(fence: fence(1)))))
    #expect(fixture.peer.state.wallet == (try node(1)))
  }

  @Test("is hung up on when it sends without end what nobody keeps")
  func storesWithoutEnd() throws {
    var fixture = try fixture()
    _ = fixture.handle(.received(connection: 2, .greeting(Greeting())))
    var closed = 0
    for _ in 0..<40 {
      let said = fixture.handle(.received(connection: 2, .peerStorage([1])))
      closed += said.filter { if case .close(2, _) = $0 { true } else { false } }.count
    }
    #expect(closed == 1)
  }
}
