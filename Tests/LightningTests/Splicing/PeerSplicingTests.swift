@testable import Lightning
@testable import LightningProvider

@Suite("The LSP's splices") struct PeerSplicingTests {
  private func fixture(delay: TimeSpan = .zero) throws -> (PeerMachine, Channel) {
    let channel = try Channel(id: channelID, localMsat: 90_000_000, remoteMsat: 10_000_000, isOpener: true)
    var peer = PeerMachine(
      configuration: .init(
        rules: ConnectionRules(silence: nil), fundingKey: providerSide.key, spliceDelay: delay,
        startedAt: milliseconds(0), state: PeerState(channel: channel)))
    var wallet = try Channel(id: channelID, localMsat: 10_000_000, remoteMsat: 90_000_000, isOpener: false)
    let opening = messages(peer.handle(.connected(connection: 1), at: milliseconds(0)))
    guard case .initMessage(let answer)? = opening.first else { throw WireError.truncated }
    #expect(answer.offersSplices)
    let walletInit = Message.initMessage(InitMessage(features: .ofWallet(splices: true), fence: fence(1)))
    let replies = messages(peer.handle(.received(connection: 1, walletInit), at: milliseconds(0)))
    let ours = wallet.reestablish(splicing: walletSide)
    for message in replies.dropFirst() { _ = try wallet.receive(message) }
    _ = peer.handle(.received(connection: 1, ours), at: milliseconds(0))
    return (peer, wallet)
  }

  /// Exchanges messages until the wallet's queue is empty. Returns the LSP's directives.
  private func talk(_ peer: inout PeerMachine, _ wallet: inout Channel, at now: Instant) throws
    -> [PeerDirective]
  {
    var all: [PeerDirective] = []
    while true {
      let said = plain(wallet.takeOutgoing())
      if said.isEmpty { return all }
      for message in said {
        let directives = peer.handle(.received(connection: 1, message), at: now)
        all += directives
        for answer in messages(directives) { _ = try wallet.receive(answer) }
      }
    }
  }

  private func types(_ directives: [PeerDirective]) -> [UInt16] { messages(directives).map(\.type) }

  @Test func `The LSP signs after its configured delay, commitment_signed before tx_signatures`() throws {
    var (peer, wallet) = try fixture(delay: .seconds(2))
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    let said = try talk(&peer, &wallet, at: milliseconds(0))
    expect(types(said), is: [2, 81, 70, 70, 70])
    expect(peer.state.channel.pendingSplice?.stage, is: .committed)
    expect(peer.deadline, is: milliseconds(2000))
    expect(types(peer.handle(.deadlineReached, at: milliseconds(1999))), is: [])
    let signed = peer.handle(.deadlineReached, at: milliseconds(2000))
    expect(types(signed), is: [132, 71])
    for message in messages(signed) { _ = try wallet.receive(message) }
    expect(types(try talk(&peer, &wallet, at: milliseconds(2000))), is: [77])
    #expect(peer.state.channel.funding == wallet.funding && wallet.record.splicedTo != nil)
  }

  @Test
  func `The LSP stores each splice stage before it sends the message that depends on the stage`() throws {
    var (peer, wallet) = try fixture()
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    let said = try talk(&peer, &wallet, at: milliseconds(0))
    for (stored, sent) in zip(said, said.dropFirst()) {
      guard case .send(_, let message) = sent, [132, 71, 77].contains(message.type),
        case .store(let changes) = stored
      else { continue }
      let record = changes.compactMap {
        if case .channel(let stored) = $0 { stored.channel?.record } else { nil }
      }.last
      let stage: PendingSplice.Stage =
        message.type == 132 ? .signing : message.type == 71 ? .committed : .signed
      expect(record?.splice?.stage, is: stage)
    }
  }

  @Test func `After 60 s of quiescence the LSP warns and disconnects; the channel is unchanged`() throws {
    var (peer, wallet) = try fixture()
    let before = peer.state.channel.record
    try wallet.beginSplice(SpliceRequest(amountSat: 4000, script: targetScript))
    for message in plain(wallet.takeOutgoing()) {
      _ = peer.handle(.received(connection: 1, message), at: milliseconds(0))
    }
    expect(peer.deadline, is: milliseconds(60_000))
    let words = "the channel was at rest for 60 s: reconnect"
    expect(
      messages(peer.handle(.deadlineReached, at: milliseconds(60_000))),
      is: [.warning(ErrorOrWarning(channel: channelID, text: words, code: .quiescenceTimeout))])
    #expect(peer.state.channel.record == before && !peer.isWalletConnected)
  }

  @Test func `An LSP without splicing does not offer it and refuses stfu`() throws {
    var fixture = try PeerFixture()
    let opening = messages(fixture.handle(.connected(connection: 1)))
    guard case .initMessage(let answer)? = opening.first else { return #expect(Bool(false)) }
    #expect(!answer.offersSplices)
    _ = fixture.hear(initMessage(fence(1)))
    _ = fixture.hear(fixture.wallet.reestablish())
    let stfu = Message.quiescence(Quiescence(channel: channelID, isInitiator: true))
    expect(types(fixture.hear(stfu)), is: [1])
  }
}
