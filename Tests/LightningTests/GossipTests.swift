@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("Gossip and other messages that the node does not use") struct GossipTests {
  private let gossip: [UInt16] = [256, 257, 258, 259, 262, 264, 265]
  private let regtest = BitcoinNetwork.regtest.chain

  private func gossipMessage(_ type: UInt16) -> Message {
    .unknown(type: type, bytes: Bytes(repeating: 1, count: 430))
  }

  @Test func `The wallet ignores gossip about 300 channels, before and after channel_reestablish`() throws {
    var early = NodeMachine.greeted(at: milliseconds(0))
    var node = try establishedNode()
    for _ in 0..<300 {
      for type in gossip {
        guard type == 256 || type == 257 || type == 258 else { continue }
        expect(early.handle(.received(gossipMessage(type)), at: milliseconds(1)), is: [])
        expect(node.handle(.received(gossipMessage(type)), at: milliseconds(1)), is: [])
      }
    }
    for type in gossip { expect(node.handle(.received(gossipMessage(type)), at: milliseconds(2)), is: []) }
  }

  @Test func `Both ends disconnect a peer that exceeds the gossip limit`() throws {
    var node = try establishedNode()
    for _ in 0..<Chatter.gossipLimit { _ = node.handle(.received(gossipMessage(258)), at: milliseconds(1)) }
    expect(node.handle(.received(gossipMessage(258)), at: milliseconds(1)).first, is: .cutOff)
    var fixture = try PeerFixture.established()
    for _ in 0..<Chatter.gossipLimit { _ = fixture.hear(gossipMessage(256)) }
    #expect(fixture.peer.isWalletConnected)
    let end = fixture.hear(gossipMessage(256))
    expect(others(end), is: [.evict(connection: 1, "too many ignorable messages")])
    expect(messages(end), is: [])
  }

  @Test func `The LSP ignores gossip of its wallet and of an unknown node`() throws {
    var fixture = try PeerFixture()
    fixture.peer.state.wallet = PrivateKey(SHA256.hash([1]))?.publicKey
    _ = try fixture.establish(1)
    _ = fixture.visit(2, try #require(PrivateKey(SHA256.hash([2]))).publicKey, nil)
    for connection in [1, 2] as [UInt64] {
      for number in 0..<60 {
        let said = fixture.hear(gossipMessage(gossip[number % gossip.count]), on: connection)
        expect(said, is: [.store([.frameIgnored(connection: connection, "it needs no answer")])])
      }
    }
  }

  @Test func `A gossip query is answered with an empty reply, a truncated query is ignored`() throws {
    let blocks: [UInt8] = [0, 0, 0, 100, 0, 0, 0, 50]
    let range = Message.unknown(type: 263, bytes: Bytes(regtest.bytes + blocks))
    let rangeAnswer = Message.unknown(type: 264, bytes: Bytes(regtest.bytes + blocks + [0, 0, 1, 0]))
    let ids = Message.unknown(type: 261, bytes: Bytes(regtest.bytes + [0, 1, 0]))
    let idsAnswer = Message.unknown(type: 262, bytes: Bytes(regtest.bytes + [0]))
    var node = try establishedNode()
    var fixture = try PeerFixture.established()
    for (question, answer) in [(range, rangeAnswer), (ids, idsAnswer)] {
      expect(node.handle(.received(question), at: milliseconds(1)), is: [.send([.message(answer)])])
      expect(
        fixture.hear(question),
        is: [
          .store([.frameActedOn(connection: 1)]), .send(connection: 1, answer),
        ])
    }
    // A truncated query is ignored.
    let half = Message.unknown(type: 263, bytes: Bytes(regtest.bytes))
    expect(node.handle(.received(half), at: milliseconds(1)), is: [])
  }

  @Test func `The wallet ignores peer_storage and does not offer option_provide_storage`() throws {
    var early = NodeMachine.greeted(at: milliseconds(0))
    expect(early.handle(.received(.peerStorage([1, 2])), at: milliseconds(1)), is: [])
    var node = try establishedNode()
    expect(node.handle(.received(.peerStorage([1, 2])), at: milliseconds(1)), is: [])
    #expect(!Features.ofWallet(splices: true).offers(Features.provideStorage))
    #expect(Features.ofWallet(splices: true).offers(Features.gossipQueries))
  }
}

@Suite("The stored form of a received message") struct HeardMessageTests {
  @Test func `A long message is stored truncated and still decodes as the same type`() throws {
    let ballast = Bytes(repeating: 7, count: 60_000)
    let long: [Message] = [
      .unknown(type: 40_001, bytes: ballast), .unknown(type: 256, bytes: ballast),
      .ping(Ping(pongSize: 9, ignored: ballast)), .pong(ballast), .warning(ErrorOrWarning(data: ballast)),
      .error(ErrorOrWarning(channel: channelID, data: ballast)),
      .initMessage(InitMessage(features: Features([1, 400_001]), fence: fence(3))),
    ]
    for message in long {
      let heard = try HeardMessage(message.encoded())
      #expect(heard.bytes.count <= HeardMessage.shortSize)
      expect(heard.message.type, is: message.type)
      expect(try Message(decoding: heard.bytes), is: heard.message)
    }
    guard case .ping(let ping) = try HeardMessage(long[2].encoded()).message else {
      return #expect(Bool(false))
    }
    expect(ping.pongSize, is: 9)
    guard case .initMessage(let body) = try HeardMessage(long[6].encoded()).message else {
      return #expect(Bool(false))
    }
    #expect(body.fence == fence(3) && body.features.contains(1))
  }

  @Test
  func `The stored form keeps a required feature bit, each byte of a short message, a backup's hash`() throws
  {
    let demanding = InitMessage(features: Features([300_000]))
    guard case .initMessage(let kept) = try HeardMessage(Message.initMessage(demanding).encoded()).message
    else { return #expect(Bool(false)) }
    expect(kept.unknownRequiredFeature, is: 300_000)
    let sealed = [UInt8](repeating: 7, count: 60_000)
    for message in [Message.peerStorage(Blob(sealed)), .peerStorageRetrieval(Blob(sealed))] {
      let heard = try HeardMessage(message.encoded())
      #expect(heard.message == message && message.ledgerBytes == heard.bytes)
      expect(heard.bytes, is: [0, UInt8(message.type), 0, 32] + SHA256.hash(sealed).bytes)
    }
    let short = Message.unknown(type: 40_001, bytes: Bytes(repeating: 7, count: 400)).encoded()
    expect(try HeardMessage(short).bytes, is: short)
    expect(HeardMessage.kept([UInt8](repeating: 1, count: 60_000)).count, is: HeardMessage.shortSize)
  }
}
