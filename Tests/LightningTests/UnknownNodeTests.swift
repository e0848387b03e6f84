@testable import Lightning
@testable import LightningProvider

@Suite("The LSP and an unknown node") struct UnknownNodeTests {
  private func node(_ number: UInt8) throws -> PublicKey {
    try #require(PrivateKey(SHA256.hash([number]))).publicKey
  }

  /// The wallet, node 1, is connected as 1; an unknown node, node 2, as 2.
  private func fixture() throws -> PeerFixture {
    var fixture = try PeerFixture()
    _ = fixture.visit(1, try node(1), fence(1))
    #expect(fixture.peer.isWalletConnected)
    _ = fixture.handle(.connected(connection: 2, node: try node(2)))
    return fixture
  }

  @Test
  func `An unknown node with a high claim changes neither the fence nor the wallet's connection`() throws {
    var fixture = try fixture()
    let said = fixture.hear(.initMessage(InitMessage(fence: fence(1000))), on: 2)
    expect(
      said,
      is: [
        .store([
          .frameActedOn(connection: 2), .connectionJudged(connection: 2, .visitor, nil),
        ])
      ])
    expect(fixture.peer.state.fence, is: fence(1))
    expect(fixture.peer.registered, is: 1)
  }

  @Test func `An unknown node's ping is answered, and its backup is not kept`() throws {
    var fixture = try fixture()
    _ = fixture.hear(.initMessage(InitMessage()), on: 2)
    expect(
      fixture.hear(.ping(Ping(pongSize: 2)), on: 2),
      is: [.store([.frameActedOn(connection: 2)]), .send(connection: 2, .pong([0, 0]))])
    _ = fixture.hear(.peerStorage([1, 2]), on: 2)
    #expect(fixture.peer.state.backup == nil)
  }

  @Test func `An unknown node that sends channel_reestablish gets an error and is disconnected`() throws {
    var fixture = try fixture()
    _ = fixture.hear(.initMessage(InitMessage()), on: 2)
    let channel = fixture.peer.state.channel
    let said = fixture.hear(
      .channelReestablish(
        ChannelReestablish(
          channel: SHA256.hash([9]), nextCommitmentNumber: 1, nextRevocationNumber: 0,
          yourLastPerCommitmentSecret: .zero)), on: 2)
    #expect(said.contains(.close(connection: 2, "there is no channel with this node")))
    let error = Message.error(
      ErrorOrWarning(channel: SHA256.hash([9]), text: "there is no channel with this node"))
    #expect(said.contains(.send(connection: 2, error)))
    expect(fixture.peer.state.channel, is: channel)
    expect(fixture.peer.registered, is: 1)
  }

  @Test func `After a restart the LSP still tells its wallet from an unknown node`() throws {
    var after = try fixture()
    after.restart()
    _ = after.handle(.connected(connection: 3, node: try node(2)))
    _ = after.handle(.received(connection: 3, .initMessage(InitMessage(fence: fence(2)))))
    #expect(!after.peer.isWalletConnected)
    _ = after.handle(.connected(connection: 4, node: try node(1)))
    _ = after.handle(.received(connection: 4, .initMessage(InitMessage(fence: fence(2)))))
    expect(after.peer.registered, is: 4)
  }

  @Test func `An unknown node that connects first without a claim does not become the wallet`() throws {
    var fixture = try PeerFixture()
    _ = fixture.visit(1, try node(2), nil)
    #expect(fixture.peer.state.wallet == nil)
    #expect(!fixture.peer.isWalletConnected)
    _ = fixture.visit(2, try node(1), fence(1))
    expect(fixture.peer.state.wallet, is: (try node(1)))
  }

  @Test func `An unknown node learns nothing about the channel, before or after init`() throws {
    let wrongs: [(inout PeerFixture) -> [PeerDirective]] = [
      { $0.handle(.received(connection: 2, .initMessage(InitMessage()))) },
      { $0.handle(.undecodable(connection: 2, "no")) },
      { $0.handle(.received(connection: 2, .initMessage(InitMessage(features: Features([22]))))) },
      { fixture in
        return fixture.wake(at: 10_000)
      },
      { fixture in
        (0..<30).flatMap { _ in fixture.hear(.ping(Ping(pongSize: 0)), on: 2) }
      },
    ]
    for hasSentInit in [false, true] {
      for wrong in wrongs {
        var fixture = try fixture()
        if hasSentInit { _ = fixture.hear(.initMessage(InitMessage()), on: 2) }
        for case .send(2, let message) in wrong(&fixture) {
          expect(message.channel ?? .zero, is: .zero)
          #expect(message.type != 17)
        }
      }
    }
  }

  @Test
  func `Unknown nodes share a limit of connections and messages, in which the wallet's do not count`() throws
  {
    var fixture = try fixture()
    for connection in 3...200 as ClosedRange<UInt64> {
      let opened = fixture.handle(.connected(connection: connection, node: try node(UInt8(connection))))
      if opened == [.evict(connection: connection, "too many connections of other nodes")] { continue }
      for _ in 0..<15 { _ = fixture.hear(.ping(Ping(pongSize: 0)), on: connection) }
      _ = fixture.handle(.closed(connection: connection, "gone"))
    }
    expect(
      fixture.handle(.connected(connection: 300, node: try node(9))),
      is: [
        .evict(connection: 300, "too many connections of other nodes")
      ])
    // The evicted connection is forgotten.
    expect(fixture.handle(.closed(connection: 300, "")), is: [])
    // `rejects` answers without a connection.
    let now = milliseconds(fixture.now)
    #expect(fixture.peer.rejects(try node(9), at: now))
    #expect(!fixture.peer.rejects(try node(1), at: now), "the wallet's node")
    #expect(!fixture.peer.rejects(nil, at: now), "without a node id")
    #expect(!fixture.peer.rejects(try node(9), at: now + .seconds(61)))
    let silenced = fixture.hear(.ping(Ping(pongSize: 0)), on: 2)
    expect(others(silenced), is: [.evict(connection: 2, "too many ignorable messages")])
    _ = fixture.visit(301, try node(1), fence(2))
    expect(fixture.peer.registered, is: 301)
    expect(fixture.hear(.ping(Ping(pongSize: 0)), on: 301).count, is: 2)
    fixture.now = 60_000
    expect(changes(fixture.handle(.connected(connection: 302, node: try node(9)))).count, is: 1)
  }

  @Test
  func `The wallet's large backups are limited per minute; its next connection may still store a small one`()
    throws
  {
    var fixture = try fixture()
    let blob = Blob([UInt8](repeating: 1, count: 65_000))
    var stored = 0
    for _ in 0..<2000 {
      let said = fixture.hear(.peerStorage(blob))
      if !changes(said).contains(.backup(connection: 1, blob)) { break }
      stored += blob.count
    }
    #expect(stored > 60 * 1024 * 1024 && stored <= BackupLoad.bytesPerMinute + blob.count)
    #expect(!fixture.peer.isWalletConnected)
    _ = fixture.visit(5, try node(1), fence(1))
    // A wallet sends a small backup with each step.
    let small = Blob([UInt8](repeating: 2, count: 1000))
    #expect(changes(fixture.hear(.peerStorage(small), on: 5)).contains(.backup(connection: 5, small)))
  }

  @Test func `Each connection may store one large backup beyond the minute's limit`() throws {
    var fixture = try fixture()
    let blob = Blob([UInt8](repeating: 1, count: 65_000))
    func isStored(_ connection: UInt64, _ said: [PeerDirective]) -> Bool {
      changes(said).contains(.backup(connection: connection, blob))
    }
    while isStored(1, fixture.hear(.peerStorage(blob))) {}
    var taken = 0
    for connection in 5..<400 as Range<UInt64> {
      _ = fixture.visit(connection, try node(1), fence(1))
      guard isStored(connection, fixture.hear(.peerStorage(blob), on: connection)) else { break }
      #expect(!isStored(connection, fixture.hear(.peerStorage(blob), on: connection)))
      taken += blob.count
    }
    #expect(taken > 15 * 1024 * 1024 && taken <= BackupLoad.firstBytesPerMinute)
  }

  @Test func `An unknown node that floods peer_storage is disconnected`() throws {
    var fixture = try fixture()
    _ = fixture.hear(.initMessage(InitMessage()), on: 2)
    var closed = 0
    for _ in 0..<40 {
      let said = fixture.hear(.peerStorage([1]), on: 2)
      closed += said.filter { if case .close(2, _) = $0 { true } else { false } }.count
    }
    expect(closed, is: 1)
  }
}
