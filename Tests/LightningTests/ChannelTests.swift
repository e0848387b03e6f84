import Crypto
import Lightning
import Testing

private func types(_ outgoing: [ChannelOutgoing]) -> [String] {
  outgoing.map {
    switch $0 {
    case .fulfill: "fulfill"
    case .message(.addHTLC): "add"
    case .message(.failHTLC): "fail"
    case .message(.commitmentSigned(let body)): "commit(\(body.htlcSignatures.count))"
    case .message(.revokeAndAck): "revoke"
    case .message(let other): "type \(other.type)"
    }
  }
}

/// Delivers the outgoing messages of `from` to `to`. Returns their types and the receiver's facts.
private func carry(
  _ from: inout Channel, _ to: inout Channel
) throws -> (sent: [String], facts: [ChannelFact]) {
  let outgoing = from.takeOutgoing()
  var facts: [ChannelFact] = []
  for part in outgoing {
    facts += try to.receive(message(part, of: from, preimages: [paymentHash(1): preimage(1)]))
  }
  return (types(outgoing), facts)
}

@Suite struct ChannelTests {
  @Test func `A payment exchanges exactly BOLT 2's messages, in order`() throws {
    var (peer, wallet) = try channelPair()
    let id = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    #expect(peer.localMsat == 999_000)

    var step = try carry(&peer, &wallet)
    #expect(step.sent == ["add", "commit(1)"])
    #expect(step.facts == [])
    step = try carry(&wallet, &peer)
    #expect(step.sent == ["revoke", "commit(1)"])
    #expect(step.facts == [.revoked])
    step = try carry(&peer, &wallet)
    #expect(step.sent == ["revoke"])
    let committed = try #require(wallet.committedHTLCs.first)
    #expect(step.facts == [.revoked, .committed(committed)])
    #expect(committed.id == id && committed.amountMsat == 1000)

    try wallet.fulfill(id)
    step = try carry(&wallet, &peer)
    #expect(step.sent == ["fulfill", "commit(0)"])
    #expect(step.facts == [.fulfilled(try #require(peer.htlcs.first), preimage: preimage(1))])
    step = try carry(&peer, &wallet)
    #expect(step.sent == ["revoke", "commit(0)"])
    #expect(step.facts == [.revoked, .settled(try #require(wallet.htlcs.first))])
    #expect(wallet.localMsat == 0)
    step = try carry(&wallet, &peer)
    #expect(step.sent == ["revoke"])
    #expect(step.facts.count == 2)
    guard case .settled(let settled) = step.facts.last else { return #expect(Bool(false)) }
    #expect(settled.id == id)

    #expect(try carry(&peer, &wallet).sent == [])
    #expect(wallet.localMsat == 1000 && wallet.remoteMsat == 999_000)
    #expect(peer.localMsat == 999_000 && peer.remoteMsat == 1000)
    #expect(peer.htlcs.isEmpty && wallet.htlcs.isEmpty)
  }

  @Test func `A failed HTLC returns the amount and the failure code to its offerer`() throws {
    var (peer, wallet) = try channelPair()
    let id = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try settle(&peer, &wallet)
    try wallet.fail(id, code: 0x400f)
    let facts = try settle(&peer, &wallet)
    guard case .failed(let htlc, 0x400f)? = facts.left.first else { return #expect(Bool(false)) }
    #expect(htlc.id == id)
    #expect(peer.localMsat == 1_000_000 && wallet.remoteMsat == 1_000_000)
  }

  @Test func `While a commitment is unrevoked, no newer update is sent, also after a reconnection`() throws {
    var (peer, wallet) = try channelPair()
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    #expect(types(peer.takeOutgoing()) == ["add", "commit(1)"])
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(2), cltvExpiry: 700)
    #expect(peer.takeOutgoing() == [])
    peer.disconnected()
    wallet.disconnected()
    try connect(&peer, &wallet)
    #expect(types(peer.takeOutgoing()) == ["add", "commit(1)"])
  }

  @Test func `Lost messages are retransmitted in their original order: commitment, then revocation`() throws {
    var (peer, wallet) = try channelPair(walletMsat: 5000)
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try wallet.offer(amountMsat: 1000, paymentHash: paymentHash(2), cltvExpiry: 700)
    // The wallet's own commitment leaves first, then the revocation of the peer's.
    let commitment = wallet.takeOutgoing()
    #expect(types(commitment) == ["add", "commit(1)"])
    _ = try carry(&peer, &wallet)
    let revocation = wallet.takeOutgoing()
    #expect(types(revocation) == ["revoke"])

    peer.disconnected()
    wallet = try Channel(restoring: wallet.record)
    try connect(&peer, &wallet)
    #expect(wallet.takeOutgoing() == commitment + revocation)
  }

  @Test func `A revocation sent before the commitment is also retransmitted before it`() throws {
    var (peer, wallet) = try channelPair()
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try carry(&peer, &wallet)
    let lost = wallet.takeOutgoing()
    #expect(types(lost) == ["revoke", "commit(1)"])

    peer.disconnected()
    wallet = try Channel(restoring: wallet.record)
    try connect(&peer, &wallet)
    #expect(wallet.takeOutgoing() == lost)
  }

  @Test func `No update is sent, and no commitment accepted, before both channel_reestablish messages`()
    throws
  {
    var peer = try Channel(id: channelID, localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: channelID, localMsat: 0, remoteMsat: 5000, isOpener: false)
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    #expect(peer.takeOutgoing() == [])
    let fromPeer = peer.reestablish()
    #expect(peer.takeOutgoing() == [])
    #expect(try wallet.receive(fromPeer) == [.reestablished])
    #expect(throws: ChannelError.notReestablished) {
      try wallet.receive(.commitmentSigned(CommitmentSigned(channel: channelID)))
    }
    #expect(try peer.receive(wallet.reestablish()) == [.reestablished])
    #expect(types(peer.takeOutgoing()) == ["add", "commit(1)"])
  }

  @Test func `A received update without a commitment is dropped on disconnect`() throws {
    var (peer, wallet) = try channelPair()
    let before = wallet.record
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try wallet.receive(message(try #require(peer.takeOutgoing().first), of: peer))
    #expect(wallet.remoteMsat == 999_000)
    wallet.disconnected()
    #expect(wallet.remoteMsat == 1_000_000 && wallet.htlcs == before.htlcs)
    #expect(wallet.revision == before.revision + 2)
  }
}
