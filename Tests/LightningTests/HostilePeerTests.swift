@testable import Lightning
@testable import Wallet
@testable import LightningProvider

@Suite("The wallet's node against a hostile peer") struct HostilePeerTests {
  private let start = Instant(nanoseconds: 0)
  private let ping = Message.ping(Ping(pongSize: 1))

  /// A node that is connected, with its channel running since `now`.
  private func establish(_ node: inout NodeMachine, at now: Instant) throws {
    let terms = ChannelTerms.standard
    var peer = try Channel(
      id: channelID, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
    node.dial(at: now)
    peer.disconnected()
    expect(node.handle(.received(peer.reestablish()), at: now), is: [.checkAfterInit])
    _ = node.handle(.checkedAfterInit(row(1), node.node), at: now)
    if node.state != .established { _ = node.handle(.written, at: now) }
    expect(node.handle(.received(.pong([])), at: now).first, is: .report(.established))
    try #require(node.state == .established)
  }

  @Test func `A peer that sends over 20 pings in 10 s is disconnected; one ping a minute is always answered`()
    throws
  {
    var patient = try establishedNode()
    for minute in 0..<1000 {
      let now = start + .seconds(Int64(minute) * 60)
      expect(patient.handle(.received(ping), at: now), is: [.send([.message(.pong([0]))])])
    }
    var node = try establishedNode()
    for _ in 0..<ConnectionRules.standard.chatter {
      expect(node.handle(.received(ping), at: start).count, is: 1)
    }
    expect(
      node.handle(.received(ping), at: start),
      is: [
        .cutOff, .report(.trouble("the peer sent more than 20 ignorable messages in 10 s")),
        .report(.connecting),
      ])
  }

  @Test(
    arguments: [
      .pong([]), .warning(ErrorOrWarning(text: "")), .unknown(type: 40_001, bytes: []),
    ] as [Message])
  func `A peer that floods pongs, warnings, unknown messages or backups is disconnected`(_ message: Message)
    throws
  {
    var node = try establishedNode()
    for _ in 0..<ConnectionRules.standard.chatter { _ = node.handle(.received(message), at: start) }
    expect(node.handle(.received(message), at: start).first, is: .cutOff)
    var restorer = try establishedNode()
    for _ in 0..<ConnectionRules.standard.chatter {
      _ = restorer.handle(.backupReceived(.unreadable), at: start)
    }
    expect(restorer.handle(.backupReceived(.unreadable), at: start).first, is: .cutOff)
  }

  @Test func `A second init ends the connection`() throws {
    var node = try establishedNode()
    expect(
      node.handle(.received(.initMessage(InitMessage())), at: start),
      is: [
        .cutOff, .report(.trouble("the peer sent init twice")), .report(.connecting),
      ])
  }

  @Test(.shows("D-8.6"))
  func `A peer that disconnects right after channel_reestablish is redialled with growing pauses`()
    throws
  {
    var node = try establishedNode()
    var now = start
    var pauses: [Int64] = []
    for _ in 0..<14 {
      _ = node.handle(.closed("cut"), at: now)
      let next = try #require(node.deadline)
      pauses.append((next - now).wholeMilliseconds)
      now = next
      expect(node.handle(.deadlineReached, at: now), is: [.checkRow])
      try establish(&node, at: now)
    }
    expect(pauses.prefix(7), is: [100, 250, 500, 1000, 2000, 4000, 8000])
    for (pause, least) in zip(pauses.dropFirst(7), [16, 32, 64, 128, 256, 300, 300] as [Int64]) {
      #expect((least * 1000...least * 1250).contains(pause))
    }
    // The random part, up to a quarter, differs from dial to dial.
    #expect(pauses[12] != pauses[13])
    // A connection that lasted is redialled at once.
    now = now + .seconds(1)
    _ = node.handle(.closed("cut"), at: now)
    expect(node.deadline, is: now + .milliseconds(100))
  }

  @Test func `At most 128 messages are queued during a write; one more disconnects the peer`() throws {
    var node = try establishedNode()
    let invoice = Invoice(
      paymentHash: SHA256.hash([1]), amountMsat: 1, text: "", tweak: SHA256.hash([2]), expiresAt: 0)
    _ = node.handle(.invoiceMade(invoice), at: start)
    let add = Message.failHTLC(FailHTLC(channel: channelID, id: 1, reason: []))
    for _ in 0..<NodeConnection.inboxLimit { expect(node.handle(.received(add), at: start), is: []) }
    expect(node.handle(.received(add), at: start).first, is: .cutOff)
  }

  @Test(arguments: [0, UInt64(Int64.max), .max])
  func `A refusing fence answer with an extreme epoch stops the node without a crash`(_ epoch: UInt64) {
    var node = NodeMachine(configuration: .init())
    _ = node.handle(.started(fence(1), NodeState()), at: start)
    _ = node.handle(.rowRead(row(1)), at: start)
    _ = node.handle(.dialled, at: start)
    let answer = FenceAnswer(accepted: false, highest: epoch, container: ContainerID(high: .max, low: .max))
    expect(node.handle(.received(.initMessage(InitMessage())), at: start), is: [])
    expect(
      node.handle(.received(.fenceAnswer(answer)), at: start),
      is: [
        .cutOff, .report(.refused(highest: answer.highest, container: answer.container)),
      ])
  }
}

@Suite("The LSP against a hostile wallet") struct HostileWalletTests {
  @Test
  func `At its connection limit the LSP evicts the oldest connection that is not the wallet's`() throws {
    var fixture = try PeerFixture.established()
    for connection in 2...UInt64(PeerMachine.linkLimit) {
      _ = fixture.handle(.connected(connection: connection))
    }
    expect(
      fixture.handle(.connected(connection: 1000)),
      is: [
        .store([.connectionOpened(connection: 1000)]),
        .evict(connection: 2, "closed to make room for connection 1000"),
        .send(connection: 1000, .initMessage(InitMessage())),
      ])
    #expect(fixture.peer.isWalletConnected)
    _ = fixture.handle(.closed(connection: 2, ""))
    expect(
      others(fixture.handle(.connected(connection: 1001))),
      is: [
        .evict(connection: 3, "closed to make room for connection 1001")
      ])
  }

  @Test func `The LSP disconnects a peer that floods pings, before or after init`() throws {
    var fixture = try PeerFixture()
    let ping = Message.ping(Ping(pongSize: 0))
    _ = fixture.handle(.connected(connection: 1))
    for _ in 0..<ConnectionRules.standard.chatter { expect(others(fixture.hear(ping)), is: []) }
    let why = "more than 20 ignorable messages in 10 s"
    expect(others(fixture.hear(ping)), is: [.close(connection: 1, why)])
    _ = try fixture.establish(2)
    for _ in 0..<ConnectionRules.standard.chatter { expect(others(fixture.hear(ping, on: 2)), is: []) }
    let end = fixture.hear(ping, on: 2)
    expect(others(end), is: [.close(connection: 2, why)])
    expect(changes(end).first, is: .frameIgnored(connection: 2, why))
    #expect(!fixture.peer.isWalletConnected)
  }

  @Test(.shows("G-6"))
  func `With 1000 payments pending the LSP fails another at once with temporary_channel_failure`() throws {
    var fixture = try PeerFixture()
    for number in 1...UInt64(PeerMachine.paymentLimit) { _ = fixture.pay(number) }
    expect(fixture.pay(5000), is: [.answer(payment: 5000, .failed(.tooManyPending))])
    expect(PaymentFailure.tooManyPending.code, is: FailureCode.temporaryChannelFailure)
  }
}
