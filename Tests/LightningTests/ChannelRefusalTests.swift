import Ground
import Crypto
import Lightning
import Testing

@Suite struct ChannelRefusalTests {
  @Test func `An offer above the balance, of zero, or with an expiry out of range is refused`() throws {
    var (peer, _) = try channelPair()
    let before = peer
    #expect(throws: ChannelError.amountAboveBalance(availableMsat: 1_000_000)) {
      try peer.offer(amountMsat: .max, paymentHash: paymentHash(1), cltvExpiry: 700)
    }
    #expect(throws: ChannelError.amountIsZero) {
      try peer.offer(amountMsat: 0, paymentHash: paymentHash(1), cltvExpiry: 700)
    }
    #expect(throws: ChannelError.expiryOutOfRange) {
      try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 500_000_000)
    }
    #expect(peer == before)
  }

  @Test func `The thirty-first HTLC is refused by both sides`() throws {
    var (peer, wallet) = try channelPair()
    for number in 0..<30 {
      _ = try peer.offer(amountMsat: 1, paymentHash: paymentHash(UInt64(number)), cltvExpiry: 700)
    }
    #expect(throws: ChannelError.tooManyHTLCs) {
      try peer.offer(amountMsat: 1, paymentHash: paymentHash(99), cltvExpiry: 700)
    }
    _ = try settle(&peer, &wallet)
    #expect(wallet.committedHTLCs.count == 30)
    #expect(throws: ChannelError.tooManyHTLCs) {
      try wallet.receive(
        .addHTLC(
          AddHTLC(channel: channelID, id: 30, amountMsat: 1, paymentHash: .zero, cltvExpiry: 7)))
    }
  }

  @Test func `B-2.1 Only a committed HTLC can be fulfilled, and a fulfilled one cannot be failed`() throws {
    var (peer, wallet) = try channelPair()
    let id = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700)
    #expect(throws: ChannelError.unknownHTLC(id: id)) { try wallet.fulfill(id) }
    for part in peer.takeOutgoing() { _ = try wallet.receive(message(part, of: peer)) }
    #expect(throws: ChannelError.notCommitted(id: id)) { try wallet.fulfill(id) }
    _ = try settle(&peer, &wallet)
    try wallet.fulfill(id)
    #expect(throws: ChannelError.alreadyRemoved(id: id)) { try wallet.fail(id, code: 1) }
  }

  @Test func `A wrong preimage is refused and changes nothing`() throws {
    var (peer, wallet) = try channelPair()
    let id = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try settle(&peer, &wallet)
    let before = peer
    #expect(throws: ChannelError.wrongPreimage(id: id)) {
      try peer.receive(wallet.fulfilMessage(id, preimage: preimage(2)))
    }
    #expect(peer == before)
  }

  @Test func `Unexpected or invalid messages are refused and change nothing`() throws {
    var (peer, wallet) = try channelPair()
    let before = wallet
    let other = Bytes32(Array(repeating: 2, count: 32)) ?? .zero
    let refused: [(Message, ChannelError)] = [
      (.commitmentSigned(CommitmentSigned(channel: channelID)), .emptyCommitment),
      (
        .revokeAndAck(RevokeAndAck(channel: channelID, perCommitmentSecret: .zero)),
        .unexpectedMessage(type: 133)
      ),
      (.failHTLC(FailHTLC(channel: channelID, id: 0, code: 1)), .unknownHTLC(id: 0)),
      (.commitmentSigned(CommitmentSigned(channel: other)), .otherChannel(other)),
      (peer.reestablish(), .unexpectedMessage(type: 136)),
      (
        .addHTLC(AddHTLC(channel: channelID, id: 3, amountMsat: 1, paymentHash: .zero, cltvExpiry: 7)),
        .unexpectedHTLCID(expected: 0, got: 3)
      ),
      (
        .addHTLC(AddHTLC(channel: channelID, id: 0, amountMsat: .max, paymentHash: .zero, cltvExpiry: 7)),
        .amountAboveBalance(availableMsat: 1_000_000)
      ),
    ]
    for (message, error) in refused {
      #expect(throws: error) { try wallet.receive(message) }
      #expect(wallet == before)
    }
    _ = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = peer.takeOutgoing()
    #expect(throws: ChannelError.wrongSecret) {
      try peer.receive(.revokeAndAck(RevokeAndAck(channel: channelID, perCommitmentSecret: .zero)))
    }
  }

  @Test func `A commitment with the wrong number of signatures is refused`() throws {
    var (peer, wallet) = try channelPair()
    _ = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try wallet.receive(message(try #require(peer.takeOutgoing().first), of: peer))
    #expect(throws: ChannelError.wrongSignatureCount(expected: 1, got: 0)) {
      try wallet.receive(.commitmentSigned(CommitmentSigned(channel: channelID)))
    }
  }

  @Test func `Both sides detect a channel restored from an old record`() throws {
    var (peer, wallet) = try channelPair()
    let old = wallet.record
    let id = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try settle(&peer, &wallet)
    try wallet.fail(id, code: 1)
    _ = try settle(&peer, &wallet)

    peer.disconnected()
    var restored = try Channel(restoring: old)
    let fromPeer = peer.reestablish()
    let fromWallet = restored.reestablish()
    guard case .channelReestablish(let theirs) = fromPeer, case .channelReestablish(let ours) = fromWallet
    else { return #expect(Bool(false)) }
    #expect(throws: ChannelError.peerIsBehind(theirs: ours)) { try peer.receive(fromWallet) }
    #expect(throws: ChannelError.weAreBehind(theirs: theirs)) { try restored.receive(fromPeer) }
  }

  @Test func `A peer one commitment behind is detected by the numbers in channel_reestablish`() throws {
    var (peer, wallet) = try channelPair()
    for number in 1...3 as ClosedRange<UInt64> {
      let id = try peer.offer(amountMsat: 1, paymentHash: paymentHash(number), cltvExpiry: 700)
      _ = try settle(&peer, &wallet)
      try wallet.fail(id, code: 1)
      _ = try settle(&peer, &wallet)
    }
    peer.disconnected()
    wallet.disconnected()
    let fromPeer = peer.reestablish()
    guard case .channelReestablish(let ours) = fromPeer,
      case .channelReestablish(let whole) = wallet.reestablish()
    else { return #expect(Bool(false)) }
    // Two commitments for each payment, each revoked.
    #expect(ours.nextCommitmentNumber == 7 && ours.nextRevocationNumber == 6)
    #expect(whole.nextCommitmentNumber == 7 && whole.nextRevocationNumber == 6)
    var behind = whole
    behind.nextCommitmentNumber -= 1
    var refusing = peer
    #expect(throws: ChannelError.peerIsBehind(theirs: behind)) {
      try refusing.receive(.channelReestablish(behind))
    }
    #expect(try peer.receive(.channelReestablish(whole)) == [.reestablished])
  }

  @Test func `A channel_reestablish with numbers ahead of ours and a wrong per-commitment secret is refused`()
    throws
  {
    var peer = try Channel(id: channelID, localMsat: 1000, remoteMsat: 0, isOpener: true)
    _ = peer.reestablish()
    #expect(throws: ChannelError.wrongSecret) {
      try peer.receive(
        .channelReestablish(
          ChannelReestablish(
            channel: channelID, nextCommitmentNumber: 9, nextRevocationNumber: 8,
            yourLastPerCommitmentSecret: .zero)))
    }
  }
}
