@testable import Lightning

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
    expect(peer.localMsat, is: 999_000)

    var step = try carry(&peer, &wallet)
    expect(step.sent, is: ["add", "commit(1)"])
    expect(step.facts, is: [])
    step = try carry(&wallet, &peer)
    expect(step.sent, is: ["revoke", "commit(1)"])
    expect(step.facts, is: [.revoked])
    step = try carry(&peer, &wallet)
    expect(step.sent, is: ["revoke"])
    let committed = try #require(wallet.committedHTLCs.first)
    expect(step.facts, is: [.revoked, .committed(committed)])
    #expect(committed.id == id && committed.amountMsat == 1000)

    try wallet.fulfill(id)
    step = try carry(&wallet, &peer)
    expect(step.sent, is: ["fulfill", "commit(0)"])
    expect(step.facts, is: [.fulfilled(try #require(peer.htlcs.first), preimage: preimage(1))])
    step = try carry(&peer, &wallet)
    expect(step.sent, is: ["revoke", "commit(0)"])
    expect(step.facts, is: [.revoked, .settled(try #require(wallet.htlcs.first))])
    expect(wallet.localMsat, is: 0)
    step = try carry(&wallet, &peer)
    expect(step.sent, is: ["revoke"])
    expect(step.facts.count, is: 2)
    guard case .settled(let settled) = step.facts.last else { return #expect(Bool(false)) }
    expect(settled.id, is: id)

    expect(try carry(&peer, &wallet).sent, is: [])
    #expect(wallet.localMsat == 1000 && wallet.remoteMsat == 999_000)
    #expect(peer.localMsat == 999_000 && peer.remoteMsat == 1000)
    #expect(peer.htlcs.isEmpty && wallet.htlcs.isEmpty)
  }

  @Test func `A failed HTLC returns the amount and the failure code to its offerer`() throws {
    var (peer, wallet, id) = try committedPair(1000)
    try wallet.fail(id, code: 0x400f)
    let facts = try settle(&peer, &wallet)
    guard case .failed(let htlc, 0x400f)? = facts.left.first else { return #expect(Bool(false)) }
    expect(htlc.id, is: id)
    #expect(peer.localMsat == 1_000_000 && wallet.remoteMsat == 1_000_000)
  }

  @Test func `While a commitment is unrevoked, no newer update is sent, also after a reconnection`() throws {
    var (peer, wallet) = try channelPair()
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    expect(types(peer.takeOutgoing()), is: ["add", "commit(1)"])
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(2), cltvExpiry: 700)
    expect(peer.takeOutgoing(), is: [])
    peer.disconnected()
    wallet.disconnected()
    try connect(&peer, &wallet)
    expect(types(peer.takeOutgoing()), is: ["add", "commit(1)"])
  }

  @Test func `Lost messages are retransmitted in their original order: commitment, then revocation`() throws {
    var (peer, wallet) = try channelPair(walletMsat: 5000)
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try wallet.offer(amountMsat: 1000, paymentHash: paymentHash(2), cltvExpiry: 700)
    // The wallet's own commitment leaves first, then the revocation of the peer's.
    let commitment = wallet.takeOutgoing()
    expect(types(commitment), is: ["add", "commit(1)"])
    _ = try carry(&peer, &wallet)
    let revocation = wallet.takeOutgoing()
    expect(types(revocation), is: ["revoke"])

    peer.disconnected()
    wallet = try Channel(restoring: wallet.record)
    try connect(&peer, &wallet)
    expect(wallet.takeOutgoing(), is: commitment + revocation)
  }

  @Test func `A revocation sent before the commitment is also retransmitted before it`() throws {
    var (peer, wallet) = try channelPair()
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try carry(&peer, &wallet)
    let lost = wallet.takeOutgoing()
    expect(types(lost), is: ["revoke", "commit(1)"])

    peer.disconnected()
    wallet = try Channel(restoring: wallet.record)
    try connect(&peer, &wallet)
    expect(wallet.takeOutgoing(), is: lost)
  }

  @Test func `No update is sent, and no commitment accepted, before both channel_reestablish messages`()
    throws
  {
    var peer = try Channel(id: channelID, localMsat: 5000, remoteMsat: 0, isOpener: true)
    var wallet = try Channel(id: channelID, localMsat: 0, remoteMsat: 5000, isOpener: false)
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    expect(peer.takeOutgoing(), is: [])
    let fromPeer = peer.reestablish()
    expect(peer.takeOutgoing(), is: [])
    expect(try wallet.receive(fromPeer), is: [.reestablished])
    #expect(throws: ChannelError.notReestablished) {
      try wallet.receive(.commitmentSigned(CommitmentSigned(channel: channelID)))
    }
    expect(try peer.receive(wallet.reestablish()), is: [.reestablished])
    expect(types(peer.takeOutgoing()), is: ["add", "commit(1)"])
  }

  @Test func `A received update without a commitment is dropped on disconnect`() throws {
    var (peer, wallet) = try channelPair()
    let before = wallet.record
    _ = try peer.offer(amountMsat: 1000, paymentHash: paymentHash(1), cltvExpiry: 700)
    _ = try wallet.receive(message(try #require(peer.takeOutgoing().first), of: peer))
    expect(wallet.remoteMsat, is: 999_000)
    wallet.disconnected()
    #expect(wallet.remoteMsat == 1_000_000 && wallet.htlcs == before.htlcs)
    expect(wallet.revision, is: before.revision + 2)
  }
}

@Suite struct ChannelStormTests {
  @Test func `In 200 runs with lost connections and crashes both ends agree, and each HTLC is resolved once`()
    throws
  {
    var settledPayments = 0
    for seed in UInt64(1)...200 {
      var storm = try ChannelStorm(seed: seed)
      for _ in 0..<300 {
        try storm.step()
        for side in storm.sides { expect(side.channel.capacityMsat, is: storm.capacity, "seed \(seed)") }
      }
      try storm.heal()
      settledPayments += try check(storm, seed: seed)
    }
    #expect(settledPayments > 1000)
  }

  private func check(_ storm: ChannelStorm, seed: UInt64) throws -> Int {
    let (left, right) = (storm.sides[0], storm.sides[1])
    try #require(left.channel.htlcs.isEmpty && right.channel.htlcs.isEmpty, "seed \(seed)")
    expect(left.channel.localMsat, is: right.channel.remoteMsat, "seed \(seed)")
    expect(left.channel.remoteMsat, is: right.channel.localMsat, "seed \(seed)")
    expect(
      left.channel.record.remoteCommitmentNumber, is: right.channel.record.localCommitmentNumber,
      "seed \(seed)")
    var balance: Int64 = 60_000
    for (side, sign) in [(left, Int64(-1)), (right, Int64(1))] {
      var fulfilled: [UInt64] = []
      var resolved: [UInt64] = []
      for case .fulfilled(let htlc, _) in side.facts {
        fulfilled.append(htlc.id)
        balance += sign * Int64(htlc.amountMsat)
      }
      for case .failed(let htlc, _) in side.facts { resolved.append(htlc.id) }
      resolved += fulfilled
      // Each offered HTLC was reported fulfilled or failed exactly once.
      expect(resolved.sorted(), is: Array(0..<side.channel.record.nextOfferedID), "seed \(seed)")
    }
    expect(balance, is: Int64(left.channel.localMsat), "seed \(seed)")
    for (side, other) in [(left, right), (right, left)] {
      let committed = side.facts.reduce(0) { if case .committed = $1 { $0 + 1 } else { $0 } }
      expect(committed, is: Int(other.channel.record.nextOfferedID), "seed \(seed)")
    }
    return left.facts.count
  }
}

@Suite struct ChannelRecordTests {
  /// A channel with HTLCs in several states, in both directions.
  private func busy() throws -> Channel {
    var (peer, wallet) = try channelPair(walletMsat: 10_000)
    for number in 0..<4 {
      _ = try peer.offer(
        amountMsat: 10, paymentHash: paymentHash(UInt64(number)), cltvExpiry: 700,
        paymentData: number == 3 ? PaymentData(secret: paymentHash(77), totalMsat: .max) : nil)
    }
    _ = try settle(&peer, &wallet)
    try wallet.fulfill(0)
    try wallet.fail(1, code: 0x1007)
    for part in wallet.takeOutgoing() {
      _ = try peer.receive(message(part, of: wallet, preimages: [paymentHash(0): preimage(0)]))
    }
    _ = try peer.offer(amountMsat: 10, paymentHash: paymentHash(9), cltvExpiry: 700)
    _ = try wallet.offer(amountMsat: 10, paymentHash: paymentHash(8), cltvExpiry: 700)
    return peer
  }

  @Test func `An encoded channel decodes to the same record`() throws {
    let channel = try busy()
    let again = try Channel(decoding: channel.encoded())
    expect(again.record, is: channel.record)
    #expect(!again.isReestablished)
  }

  @Test func `A truncated or lengthened channel record is refused, and one of another version`() throws {
    let bytes = try busy().encoded()
    for count in bytes.indices {
      #expect(throws: ChannelError.self) { try Channel(decoding: Array(bytes.prefix(count))) }
    }
    #expect(throws: ChannelError.damaged("bytes after its end")) { try Channel(decoding: bytes + [0]) }
    #expect(throws: ChannelError.damaged("unknown version 9")) {
      try Channel(decoding: [9] + bytes.dropFirst())
    }
  }

  @Test func `A channel record with inconsistent values is refused`() throws {
    let sound = try busy().record
    var changes: [(inout ChannelRecord) -> Void] = []
    changes.append { $0.localMsat = .max }
    changes.append { $0.remoteCommitmentNumber += 5 }
    changes.append { $0.revocationsSent += 1 }
    changes.append { $0.lastReceivedSecret = .zero }
    changes.append { $0.htlcs.reverse() }
    changes.append { $0.htlcs[0].removal = nil }
    changes.append { $0.htlcs[0].removal = .fulfilled(preimage: nil) }
    changes.append { $0.htlcs[0].removal = .fulfilled(preimage: preimage(3)) }
    changes.append { $0.htlcs[0].amountMsat = 0 }
    changes.append { $0.nextOfferedID = 0 }
    changes.append { $0.revision = .max }
    changes.append { $0.htlcs[2].state = .sentAddCommit }
    for change in changes {
      var record = sound
      change(&record)
      #expect(throws: ChannelError.self) { try Channel(restoring: record) }
    }
  }

  @Test func `An offer and its commitment raise the revision; a disconnect without pending updates does not`()
    throws
  {
    var (peer, wallet) = try channelPair()
    expect(peer.revision, is: 0)
    expect(peer.takeOutgoing(), is: [])
    peer.disconnected()
    expect(peer.revision, is: 0)
    wallet.disconnected()
    try connect(&peer, &wallet)
    _ = try peer.offer(amountMsat: 1, paymentHash: paymentHash(1), cltvExpiry: 7)
    expect(peer.revision, is: 1)
    _ = peer.takeOutgoing()
    expect(peer.revision, is: 2)
  }
}

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
    expect(peer, is: before)
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
    expect(wallet.committedHTLCs.count, is: 30)
    #expect(throws: ChannelError.tooManyHTLCs) {
      try wallet.receive(
        .addHTLC(AddHTLC(channel: channelID, id: 30, amountMsat: 1, paymentHash: .zero, cltvExpiry: 7)))
    }
  }

  @Test(.shows("B-2.1")) func `Only a committed HTLC can be fulfilled, and a fulfilled one cannot be failed`()
    throws
  {
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
    var (peer, wallet, id) = try committedPair(1)
    let before = peer
    #expect(throws: ChannelError.wrongPreimage(id: id)) {
      try peer.receive(wallet.fulfilMessage(id, preimage: preimage(2)))
    }
    expect(peer, is: before)
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
      expect(wallet, is: before)
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
    expect(try peer.receive(.channelReestablish(whole)), is: [.reestablished])
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
