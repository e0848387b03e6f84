import Ground
import Crypto
import Lightning
import LightningProvider
import Testing

@Suite struct PeerFencingTests {
  private func answer(_ accepted: Bool, highest: UInt64, container: UInt64 = 7) -> Message {
    .fenceAnswer(
      FenceAnswer(
        accepted: accepted, highest: highest, container: ContainerID(high: container, low: container)))
  }

  @Test func `The first container's claim is stored before the fence answer is sent`() throws {
    var fixture = try PeerFixture()
    let reestablish = Message.channelReestablish(
      ChannelReestablish(
        channel: channelID, nextCommitmentNumber: 1, nextRevocationNumber: 0,
        yourLastPerCommitmentSecret: .zero))
    #expect(
      fixture.sendInit(1, fence(3)) == [
        .store([
          .frameActedOn(connection: 1), .fence(fence(3)),
          .connectionJudged(connection: 1, .accepted, fence(3)),
        ]),
        .send(connection: 1, answer(true, highest: 3)),
        .send(connection: 1, reestablish),
      ])
  }

  @Test func `A higher epoch is stored, the older connection evicted, and the fence answered, in this order`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    let directives = fixture.sendInit(2, fence(4, incarnation: 9))
    #expect(
      Array(directives.prefix(3)) == [
        .store([
          .frameActedOn(connection: 2), .fence(fence(4, incarnation: 9)),
          .connectionJudged(connection: 2, .accepted, fence(4, incarnation: 9)),
        ]),
        .evict(connection: 1, "replaced by connection 2"),
        .send(connection: 2, answer(true, highest: 4)),
      ])
  }

  @Test func `The same epoch is accepted again with the same incarnation, and refused with another`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3, incarnation: 5))
    #expect(
      others(fixture.sendInit(2, fence(3, incarnation: 5))) == [
        .evict(connection: 1, "replaced by connection 2")
      ])
    let refused = fixture.sendInit(3, fence(3, incarnation: 6))
    #expect(
      refused == [
        .store([
          .frameActedOn(connection: 3),
          .connectionJudged(connection: 3, .refusedOtherIncarnation, fence(3, incarnation: 6)),
        ]),
        .send(connection: 3, answer(false, highest: 3)),
        .close(connection: 3, "refused-other-incarnation"),
      ])
    #expect(fixture.peer.state.fence == fence(3, incarnation: 5))
  }

  @Test func `A lower epoch is refused; the answer names the highest epoch, and the older connection stays`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    #expect(
      fixture.sendInit(2, fence(2)) == [
        .store([
          .frameActedOn(connection: 2), .connectionJudged(connection: 2, .refusedLowerEpoch, fence(2)),
        ]),
        .send(connection: 2, answer(false, highest: 3)),
        .close(connection: 2, "refused-lower-epoch"),
      ])
    #expect(messages(fixture.handle(.received(connection: 1, .ping(Ping(pongSize: 0))))) == [.pong([])])
  }

  @Test func `Another container is refused whatever its epoch, and the answer names the known container`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    let directives = fixture.sendInit(2, fence(99, container: 8))
    #expect(messages(directives) == [answer(false, highest: 3, container: 7)])
    #expect(others(directives) == [.close(connection: 2, "refused-other-container")])
  }

  @Test func `Messages of an evicted connection are ignored`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(1))
    let offered = fixture.pay(1)
    _ = fixture.sendInit(2, fence(2))
    for message in messages(offered) { _ = try fixture.wallet.receive(message) }
    for part in fixture.wallet.takeOutgoing() {
      #expect(
        fixture.handle(.received(connection: 1, message(part, of: fixture.wallet))) == [
          .store([.frameIgnored(connection: 1, "its connection is evicted")])
        ])
    }
    #expect(
      fixture.handle(.closed(connection: 1, "evicted")) == [
        .store([.connectionClosed(connection: 1, "evicted")])
      ])
    #expect(fixture.peer.isWalletConnected)
  }

  @Test func `A message before init, or on a refused or closed connection, is stored as ignored`() throws {
    var fixture = try PeerFixture()
    #expect(
      fixture.handle(.connected(connection: 1)) == [
        .store([.connectionOpened(connection: 1)]), .send(connection: 1, .initMessage(InitMessage())),
      ])
    #expect(
      fixture.handle(.received(connection: 1, .peerStorage([1]))) == [
        .store([.frameIgnored(connection: 1, "it came before init")])
      ])
    _ = fixture.sendInit(2, fence(5))
    _ = fixture.sendInit(3, fence(4))
    #expect(
      fixture.handle(.received(connection: 3, .peerStorage([1]))) == [
        .store([.frameIgnored(connection: 3, "its connection is refused")])
      ])
    #expect(
      fixture.handle(.received(connection: 9, .peerStorage([1]))) == [
        .store([.frameIgnored(connection: 9, "its connection is closed")])
      ])
    #expect(fixture.peer.state.backup == nil)
  }

  @Test func `Once a fence is known, an init without one does not replace the owner's connection`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    let directives = fixture.sendInit(2, nil)
    #expect(changes(directives).contains(.connectionJudged(connection: 2, .refusedWithoutFence, nil)))
    #expect(!others(directives).contains { if case .evict = $0 { true } else { false } })
    #expect(fixture.peer.state.fence == fence(3))
  }

  @Test func `Without any fence a new connection replaces the older one, and no fence answer is sent`() throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, nil)
    let directives = fixture.sendInit(2, nil)
    #expect(changes(directives).contains(.connectionJudged(connection: 2, .unfenced, nil)))
    #expect(others(directives) == [.evict(connection: 1, "replaced by connection 2")])
    #expect(messages(directives).first?.type == 136)
    #expect(fixture.peer.state.fence == nil)
  }

  @Test func `A legacy LSP ignores epochs: a new connection replaces the older one`() throws {
    var fixture = try PeerFixture(isLegacy: true)
    _ = fixture.sendInit(1, fence(9))
    let directives = fixture.sendInit(2, fence(1, container: 8))
    #expect(changes(directives).contains(.connectionJudged(connection: 2, .unfenced, fence(1, container: 8))))
    #expect(others(directives) == [.evict(connection: 1, "replaced by connection 2")])
    #expect(messages(directives).first?.type == 136)
    #expect(fixture.peer.state.fence == nil)
  }

  @Test func `An epoch too large for any container is not stored as the fence`() throws {
    var fixture = try PeerFixture()
    let directives = fixture.sendInit(1, fence(.max))
    #expect(others(directives).count == 1)
    #expect(fixture.peer.state.fence == nil)
    #expect(messages(fixture.sendInit(2, fence(1))).first == answer(true, highest: 1))
  }

  @Test func `The highest epoch survives a restart of the LSP`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    fixture.restart()
    #expect(messages(fixture.sendInit(2, fence(2))) == [answer(false, highest: 3)])
  }

  @Test
  func `The LSP sends each connection the same init, and channel_reestablish only after the fence answer`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    for connection in 2...3 as ClosedRange<UInt64> {
      #expect(messages(fixture.handle(.connected(connection: connection))) == [.initMessage(InitMessage())])
    }
    // channel_reestablish follows only after the fence answer.
    let said = messages(fixture.handle(.received(connection: 3, initMessage(fence(4)))))
    #expect(said.map(\.type) == [FenceAnswer.messageType, 136])
  }

  @Test func `A second init or undecodable bytes end the connection and keep the fence`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    let second = fixture.handle(.received(connection: 1, initMessage(fence(3))))
    #expect(others(second) == [.close(connection: 1, "there is a second init: send it once")])
    #expect(messages(second) == [.warning(ErrorOrWarning(text: "there is a second init: send it once"))])
    _ = fixture.sendInit(2, fence(3))
    let garbage = fixture.handle(.undecodable(connection: 2, "no"))
    #expect(others(garbage) == [.close(connection: 2, "no")])
    #expect(!fixture.peer.isWalletConnected)
    #expect(fixture.handle(.undecodable(connection: 2, "no")).count == 1)
    #expect(fixture.peer.state.fence == fence(3))
  }

  // MARK: The wallet moves to another container

  private func moving(_ fence: Claim, from replaced: Claim) -> InitMessage {
    InitMessage(
      fence: fence,
      replaces: ReplacedClaim(
        epoch: replaced.epoch, container: replaced.container))
  }

  private func sendInit(_ fixture: inout PeerFixture, _ connection: UInt64, _ initMessage: InitMessage)
    -> [PeerDirective]
  {
    _ = fixture.handle(.connected(connection: connection))
    return fixture.handle(.received(connection: connection, .initMessage(initMessage)))
  }

  @Test
  func `A container that replaces the known claim takes over; the old one is refused at any epoch`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(5))
    let moved = sendInit(&fixture, 2, moving(fence(6, container: 9), from: fence(5)))
    #expect(moved.contains(.evict(connection: 1, "replaced by connection 2")))
    #expect(moved.contains(.send(connection: 2, answer(true, highest: 6, container: 9))))
    #expect(fixture.peer.state.fence == fence(6, container: 9))
    for (number, epoch) in [UInt64(5), 6, 7, 100].enumerated() {
      #expect(
        fixture.sendInit(UInt64(number) + 3, fence(epoch)).contains {
          if case .close(_, "refused-other-container") = $0 { true } else { false }
        }, "the old container with epoch \(epoch)")
    }
    #expect(fixture.peer.state.fence == fence(6, container: 9))
  }

  @Test
  func `An init replaces only the current claim, by a higher epoch; its replay after a move changes nothing`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(5))
    _ = try fixture.establish(2, fence(6))
    for (number, initMessage) in [
      moving(fence(7, container: 9), from: fence(5)), moving(fence(6, container: 9), from: fence(6)),
      moving(fence(5, container: 9), from: fence(6)),
      moving(fence(7, container: 9), from: fence(6, container: 8)),
      InitMessage(fence: fence(7, container: 9)),
    ].enumerated() {
      let refused = sendInit(&fixture, UInt64(number) + 3, initMessage)
      #expect(refused.contains(.send(connection: UInt64(number) + 3, answer(false, highest: 6))), "\(number)")
    }
    #expect(fixture.peer.state.fence == fence(6))
    // There and back: the first replacing init names a claim that is no longer current.
    let there = moving(fence(7, container: 9), from: fence(6))
    let back = moving(fence(8), from: fence(7, container: 9))
    _ = sendInit(&fixture, 10, there)
    _ = sendInit(&fixture, 11, back)
    _ = sendInit(&fixture, 12, there)
    #expect(fixture.peer.state.fence == fence(8))
  }

  @Test
  func `The new container's replacing init is accepted again at each dial, also after the LSP's restart`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(5))
    let initMessage = moving(fence(6, container: 9), from: fence(5))
    for connection in [UInt64(2), 3] {
      #expect(
        sendInit(&fixture, connection, initMessage).contains(
          .send(connection: connection, answer(true, highest: 6, container: 9))))
    }
    fixture.restart()
    #expect(
      sendInit(&fixture, 4, initMessage).contains(
        .send(connection: 4, answer(true, highest: 6, container: 9))))
  }
}
