@testable import Lightning
@testable import Wallet

@Suite("update_fail_malformed_htlc and update_fee") struct RareUpdateTests {
  private func malformed(_ id: UInt64, code: UInt16 = 0xC005) -> Message {
    .failMalformedHTLC(FailMalformedHTLC(channel: channelID, id: id, code: code))
  }

  private func fee(_ rate: UInt32 = 253) -> Message {
    .updateFee(UpdateFee(channel: channelID, feeratePerKw: rate))
  }

  @Test func `update_fail_malformed_htlc fails the HTLC and returns its amount`() throws {
    var (peer, wallet, id) = try committedPair(700)
    try wallet.fail(id, code: 0xC005)
    var facts: [ChannelFact] = []
    for outgoing in wallet.takeOutgoing().map({ message($0, of: wallet) }) {
      guard case .failHTLC = outgoing else {
        facts += try peer.receive(outgoing)
        continue
      }
      facts += try peer.receive(malformed(id))
    }
    facts += try settle(&peer, &wallet).left
    let codes = facts.compactMap { if case .failed(_, let code) = $0 { code } else { nil } }
    expect(codes, is: [0xC005])
    #expect(peer.localMsat == 1_000_000 && peer.htlcs.isEmpty && wallet.htlcs.isEmpty)
  }

  @Test(arguments: [0, 0x400F, 0x7FFF])
  func `update_fail_malformed_htlc without the BADONION bit, or for an unknown HTLC, changes nothing`(
    _ code: UInt16
  ) throws {
    var (peer, _, id) = try committedPair(1)
    let before = peer
    #expect(throws: ChannelError.notBadOnion(id: id, code: code)) {
      try peer.receive(malformed(id, code: code))
    }
    expect(peer, is: before)
    #expect(throws: ChannelError.unknownHTLC(id: 9)) { try peer.receive(malformed(9)) }
    expect(peer, is: before)
  }

  @Test
  func
    `The sender gets the code of update_fail_malformed_htlc; without BADONION only the connection ends`()
    throws
  {
    var fixture = try PeerFixture.established()
    _ = try fixture.offerAndCommit(1)
    let wrong = fixture.hear(malformed(0, code: 0x400F))
    expect(messages(wrong).map(\.type), is: [1])
    #expect(others(wrong).count == 1 && !fixture.peer.isWalletConnected)
    expect(fixture.peer.state.payments.count, is: 1)

    _ = try fixture.establish(2)
    _ = fixture.hear(malformed(0), on: 2)
    let commitment = Message.commitmentSigned(CommitmentSigned(channel: channelID))
    let answers = others(fixture.hear(commitment, on: 2))
    expect(answers, is: [.answer(payment: 1, .failed(.refusedByRecipient(code: 0xC005)))])
  }

  @Test func `The LSP refuses update_fee of the wallet, which is not the opener`() throws {
    var fixture = try PeerFixture.established()
    let before = fixture.peer.state.channel.record
    let directives = fixture.hear(fee())
    expect(messages(directives).map(\.type), is: [1])
    expect(others(directives), is: [.close(connection: 1, ChannelError.feeOfNonOpener.description)])
    expect(fixture.peer.state.channel.record, is: before)
    // For another channel the error is the same as for any message.
    _ = try fixture.establish(2)
    let other = Message.updateFee(UpdateFee(channel: .zero, feeratePerKw: 1))
    let error = ErrorOrWarning(channel: .zero, text: ChannelError.otherChannel(.zero).description)
    expect(messages(fixture.hear(other, on: 2)), is: [.error(error)])
  }

  @Test(arguments: [0, 253, UInt32.max])
  func `The wallet refuses every update_fee, as its commitments carry no fee`(_ rate: UInt32) throws {
    var node = try establishedNode()
    let before = node.durableState
    let directives = node.handle(.received(fee(rate)), at: milliseconds(0))
    let complaint = ErrorOrWarning(channel: channelID, text: ChannelError.feeOnFeelessChannel.description)
    expect(directives.first, is: .send([.message(.warning(complaint))]))
    #expect(directives.contains(.cutOff) && directives.contains(.report(.connecting)))
    expect(node.durableState, is: before)
  }

  @Test(arguments: [134, 135])
  func `update_fee and update_fail_malformed_htlc are refused before channel_reestablish`(_ type: UInt16)
    throws
  {
    var (peer, _) = try channelPair()
    peer.disconnected()
    let message = type == 134 ? fee() : malformed(0)
    #expect(throws: ChannelError.notReestablished) { try peer.receive(message) }
  }
}

extension PeerFixture {
  /// One payment, irrevocably committed on both sides and unresolved.
  fileprivate mutating func offerAndCommit(_ number: UInt64) throws {
    var inbox = messages(pay(number))
    while !inbox.isEmpty {
      for message in inbox { _ = try wallet.receive(message) }
      inbox = []
      for outgoing in wallet.takeOutgoing() {
        inbox += messages(handle(.received(connection: 1, message(outgoing, of: wallet))))
      }
    }
  }
}

/// A connected node in the state `established`.
func establishedNode(_ configuration: NodeMachine.Configuration = .init()) throws -> NodeMachine {
  var node = NodeMachine(configuration: configuration)
  _ = node.handle(.started(fence(1), NodeState()), at: milliseconds(0))
  let terms = ChannelTerms.standard
  var peer = try Channel(
    id: channelID, localMsat: terms.providerMsat, remoteMsat: terms.walletMsat, isOpener: true)
  node.dial(at: milliseconds(0))
  _ = node.handle(.received(peer.reestablish()), at: milliseconds(0))
  _ = node.handle(.checkedAfterInit(row(1), NodeState()), at: milliseconds(0))
  _ = node.handle(.written, at: milliseconds(0))
  _ = node.handle(.received(.pong([])), at: milliseconds(0))
  try #require(node.state == .established)
  return node
}
