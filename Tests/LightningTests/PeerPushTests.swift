@testable import Lightning
import LightningProvider

/// How often a push is requested: each one shows the user a notification.
@Suite("Push requests of the LSP") struct PeerPushTests {
  private let data = PaymentData(secret: paymentHash(50), totalMsat: 1000)

  private func pushes(_ directives: [PeerDirective]) -> [PushReason] {
    directives.compactMap { if case .requestPush(let push) = $0 { push.reason } else { nil } }
  }

  /// The wallet connects for 29.5 s and resolves nothing. Returns the time until the next push.
  private func visit(_ fixture: inout PeerFixture, _ connection: UInt64) throws -> Int64? {
    _ = try fixture.establish(connection)
    expect(pushes(fixture.wake(after: 29_500)), is: [])
    _ = fixture.handle(.closed(connection: connection, "the extension's time is over"))
    guard let due = fixture.peer.deadline else { return nil }
    let span = due.nanoseconds / 1_000_000 - fixture.now
    expect(pushes(fixture.wake(after: span - 1)), is: [])
    expect(pushes(fixture.wake(after: 1)), is: [.pendingSettlement])
    return span
  }

  /// The wallet does not connect. Returns the time until the next push.
  private func missed(_ fixture: inout PeerFixture, _ reason: PushReason = .pendingSettlement) throws -> Int64
  {
    let span = try #require(fixture.peer.deadline).nanoseconds / 1_000_000 - fixture.now
    expect(pushes(fixture.wake(after: span - 1)), is: [])
    expect(pushes(fixture.wake(after: 1)), is: [reason])
    return span
  }

  @Test func `For a failed channel no push is requested and no payment held`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    #expect(fixture.peer.deadline != nil)
    var state = fixture.peer.state
    state.failure = "the per-commitment secret is wrong"
    fixture.peer = PeerMachine(
      configuration: PeerMachine.Configuration(
        rules: ConnectionRules(silence: nil), startedAt: milliseconds(fixture.now), state: state))
    #expect(fixture.peer.deadline == nil)
    expect(pushes(fixture.wake(after: 3_600_000)), is: [])
    expect(fixture.pay(2), is: [.answer(payment: 2, .failed(.channelFailed))])
  }

  @Test func `The gaps before the pushes to an absent wallet are 2, 60, 120, 240 … 3600 s`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    var gaps: [Int64] = []
    for _ in 1...10 { gaps.append(try missed(&fixture)) }
    expect(gaps, is: [2, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { $0 * 1000 })
    _ = try fixture.establish(2)
    #expect(fixture.peer.deadline == nil)
    _ = fixture.handle(.closed(connection: 2, "gone"))
    expect(try missed(&fixture), is: 2_048_000)
  }

  @Test func `The LSP repeats the push for a held payment until the sender gives up`() throws {
    var fixture = try PeerFixture()
    expect(pushes(fixture.pay(1, holdUntil: 100_000_000)), is: [.incomingPayment])
    expect(try missed(&fixture, .incomingPayment), is: 30_000)
    expect(try missed(&fixture, .incomingPayment), is: 60_000)
    fixture.restart()
    expect(try missed(&fixture, .incomingPayment), is: 2000, "a restart forgets the earlier pushes")
    expect(pushes(fixture.wake(at: 100_000_000)), is: [], "the sender has given up")
    #expect(fixture.peer.deadline == nil)
  }

  @Test func `A payment that is not held requests no push; one push serves all held payments`() throws {
    var fixture = try PeerFixture.established()
    _ = fixture.pay(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    expect(try missed(&fixture), is: 2000)
    expect(try missed(&fixture), is: 60_000)
    let due = fixture.peer.deadline
    expect(pushes(fixture.pay(2, holdUntil: 0)), is: [])
    expect(fixture.peer.deadline, is: due)
    fixture.now += 100_000
    expect(pushes(fixture.pay(3, holdUntil: 100_000_000)), is: [.incomingPayment])
    expect(try missed(&fixture), is: 30_000, "one push serves both payments")
  }

  @Test
  func `A wallet that connects but resolves nothing gets a push 2, 4, 8 … 3600 s after each disconnect`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.part(1, 400, data)
    var gaps: [Int64?] = []
    for connection in 1...13 as ClosedRange<UInt64> { gaps.append(try visit(&fixture, connection)) }
    expect(gaps, is: [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600].map { $0 * 1000 })
  }

  @Test func `A new or ended payment resets the gap before the next push to 2 s`() throws {
    var fixture = try PeerFixture()
    _ = fixture.part(1, 400, data)
    for connection in 1...3 as ClosedRange<UInt64> { _ = try visit(&fixture, connection) }
    _ = fixture.pay(2, holdUntil: 100_000_000)
    expect(try visit(&fixture, 4), is: 2000)
    expect(try visit(&fixture, 5), is: 4000)
    let end = try fixture.exchange(6, from: try fixture.establish(6), failingWith: 23)
    expect(others(end).count, is: 2)
    _ = fixture.pay(3, holdUntil: 100_000_000)
    expect(try visit(&fixture, 7), is: 2000)
  }

  @Test func `A further part requests a push only 30 s after the last push`() throws {
    var fixture = try PeerFixture()
    expect(pushes(fixture.part(1, 400, data)), is: [.incomingPayment])
    fixture.now = 29_999
    expect(pushes(fixture.part(2, 100, data)), is: [])
    fixture.now = 30_000
    expect(pushes(fixture.part(3, 100, data)), is: [.incomingPayment])
    expect(pushes(fixture.part(4, 100, data)), is: [])
    fixture.restart()
    expect(
      pushes(fixture.part(5, 100, data)), is: [.incomingPayment],
      "a restart forgets the time of the last push")
  }

  @Test
  func `Held parts of one payment share a push; a part that comes after their offer requests another push`()
    throws
  {
    var fixture = try PeerFixture()
    expect(pushes(fixture.part(1, 400, data)), is: [.incomingPayment])
    expect(pushes(fixture.part(2, 100, data)), is: [])
    expect(pushes(fixture.pay(3)), is: [.incomingPayment], "another payment")
    _ = try fixture.establish(1)
    _ = fixture.handle(.closed(connection: 1, "gone"))
    expect(pushes(fixture.part(4, 100, data)), is: [.incomingPayment], "the other parts are in the channel")
    expect(pushes(fixture.part(5, 100, data)), is: [])
  }
}

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
    expect(
      fixture.sendInit(1, fence(3)),
      is: [
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
    expect(
      Array(directives.prefix(3)),
      is: [
        .store([
          .frameActedOn(connection: 2), .fence(fence(4, incarnation: 9)),
          .connectionJudged(connection: 2, .accepted, fence(4, incarnation: 9)),
        ]),
        .evict(connection: 1, "replaced by connection 2"),
        .send(connection: 2, answer(true, highest: 4)),
      ])
  }

  @Test func `The same epoch is accepted again with the same incarnation`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3, incarnation: 5))
    expect(
      others(fixture.sendInit(2, fence(3, incarnation: 5))),
      is: [
        .evict(connection: 1, "replaced by connection 2")
      ])
  }

  @Test(
    arguments: [
      (fence(2), .refusedLowerEpoch), (fence(3, incarnation: 6), .refusedOtherIncarnation),
      (fence(99, container: 8), .refusedOtherContainer), (nil, .refusedWithoutFence),
    ] as [(Claim?, ConnectionVerdict)])
  func
    `A lower epoch, another incarnation or container, or no fence is refused, and the owner stays connected`(
      claim: Claim?, verdict: ConnectionVerdict
    ) throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3, incarnation: 5))
    expect(
      fixture.sendInit(2, claim),
      is: [
        .store([.frameActedOn(connection: 2), .connectionJudged(connection: 2, verdict, claim)]),
        .send(connection: 2, answer(false, highest: 3)), .close(connection: 2, verdict.rawValue),
      ])
    expect(messages(fixture.hear(.ping(Ping(pongSize: 0)))), is: [.pong([])])
    expect(fixture.peer.state.fence, is: fence(3, incarnation: 5))
  }

  @Test func `Messages of an evicted connection are ignored`() throws {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(1))
    let offered = fixture.pay(1)
    _ = fixture.sendInit(2, fence(2))
    for message in messages(offered) { _ = try fixture.wallet.receive(message) }
    for part in fixture.wallet.takeOutgoing() {
      expect(
        fixture.hear(message(part, of: fixture.wallet)),
        is: [
          .store([.frameIgnored(connection: 1, "its connection is evicted")])
        ])
    }
    expect(
      fixture.handle(.closed(connection: 1, "evicted")),
      is: [
        .store([.connectionClosed(connection: 1, "evicted")])
      ])
    #expect(fixture.peer.isWalletConnected)
  }

  @Test func `A message before init, or on a refused or closed connection, is stored as ignored`() throws {
    var fixture = try PeerFixture()
    expect(
      fixture.handle(.connected(connection: 1)),
      is: [
        .store([.connectionOpened(connection: 1)]), .send(connection: 1, .initMessage(InitMessage())),
      ])
    expect(
      fixture.hear(.peerStorage([1])), is: [.store([.frameIgnored(connection: 1, "it came before init")])])
    _ = fixture.sendInit(2, fence(5))
    _ = fixture.sendInit(3, fence(4))
    expect(
      fixture.hear(.peerStorage([1]), on: 3),
      is: [
        .store([.frameIgnored(connection: 3, "its connection is refused")])
      ])
    expect(
      fixture.hear(.peerStorage([1]), on: 9),
      is: [
        .store([.frameIgnored(connection: 9, "its connection is closed")])
      ])
    #expect(fixture.peer.state.backup == nil)
  }

  @Test(arguments: [(false, nil, nil), (true, fence(9), fence(1, container: 8))] as [(Bool, Claim?, Claim?)])
  func `Without fences, or to a legacy LSP, a new connection replaces the older one without a fence answer`(
    isLegacy: Bool, first: Claim?, second: Claim?
  ) throws {
    var fixture = try PeerFixture(isLegacy: isLegacy)
    _ = fixture.sendInit(1, first)
    let directives = fixture.sendInit(2, second)
    #expect(changes(directives).contains(.connectionJudged(connection: 2, .unfenced, second)))
    expect(others(directives), is: [.evict(connection: 1, "replaced by connection 2")])
    expect(messages(directives).first?.type, is: 136)
    #expect(fixture.peer.state.fence == nil)
  }

  @Test func `An epoch too large for any container is not stored as the fence`() throws {
    var fixture = try PeerFixture()
    let directives = fixture.sendInit(1, fence(.max))
    expect(others(directives).count, is: 1)
    #expect(fixture.peer.state.fence == nil)
    expect(messages(fixture.sendInit(2, fence(1))).first, is: answer(true, highest: 1))
  }

  @Test func `The highest epoch survives a restart of the LSP`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    fixture.restart()
    expect(messages(fixture.sendInit(2, fence(2))), is: [answer(false, highest: 3)])
  }

  @Test
  func `The LSP sends each connection the same init, and channel_reestablish only after the fence answer`()
    throws
  {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    for connection in 2...3 as ClosedRange<UInt64> {
      expect(messages(fixture.handle(.connected(connection: connection))), is: [.initMessage(InitMessage())])
    }
    // channel_reestablish follows only after the fence answer.
    let said = messages(fixture.hear(initMessage(fence(4)), on: 3))
    expect(said.map(\.type), is: [FenceAnswer.messageType, 136])
  }

  @Test func `A second init or undecodable bytes end the connection and keep the fence`() throws {
    var fixture = try PeerFixture()
    _ = fixture.sendInit(1, fence(3))
    let second = fixture.hear(initMessage(fence(3)))
    expect(others(second), is: [.close(connection: 1, "there is a second init: send it once")])
    expect(messages(second), is: [.warning(ErrorOrWarning(text: "there is a second init: send it once"))])
    _ = fixture.sendInit(2, fence(3))
    let garbage = fixture.handle(.undecodable(connection: 2, "no"))
    expect(others(garbage), is: [.close(connection: 2, "no")])
    #expect(!fixture.peer.isWalletConnected)
    expect(fixture.handle(.undecodable(connection: 2, "no")).count, is: 1)
    expect(fixture.peer.state.fence, is: fence(3))
  }

  // MARK: The wallet moves to another container

  private func moving(_ fence: Claim, from replaced: Claim) -> InitMessage {
    InitMessage(fence: fence, replaces: ReplacedClaim(epoch: replaced.epoch, container: replaced.container))
  }

  private func sendInit(_ fixture: inout PeerFixture, _ connection: UInt64, _ initMessage: InitMessage)
    -> [PeerDirective]
  {
    _ = fixture.handle(.connected(connection: connection))
    return fixture.hear(.initMessage(initMessage), on: connection)
  }

  @Test func `A container that replaces the known claim takes over; the old one is refused at any epoch`()
    throws
  {
    var fixture = try PeerFixture()
    _ = try fixture.establish(1, fence(5))
    let moved = sendInit(&fixture, 2, moving(fence(6, container: 9), from: fence(5)))
    #expect(moved.contains(.evict(connection: 1, "replaced by connection 2")))
    #expect(moved.contains(.send(connection: 2, answer(true, highest: 6, container: 9))))
    expect(fixture.peer.state.fence, is: fence(6, container: 9))
    for (number, epoch) in [UInt64(5), 6, 7, 100].enumerated() {
      #expect(
        fixture.sendInit(UInt64(number) + 3, fence(epoch)).contains {
          if case .close(_, "refused-other-container") = $0 { true } else { false }
        }, "the old container with epoch \(epoch)")
    }
    expect(fixture.peer.state.fence, is: fence(6, container: 9))
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
    expect(fixture.peer.state.fence, is: fence(6))
    // There and back: the first replacing init names a claim that is no longer current.
    let there = moving(fence(7, container: 9), from: fence(6))
    let back = moving(fence(8), from: fence(7, container: 9))
    _ = sendInit(&fixture, 10, there)
    _ = sendInit(&fixture, 11, back)
    _ = sendInit(&fixture, 12, there)
    expect(fixture.peer.state.fence, is: fence(8))
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
