import Crypto
import Ground

// Messages of the other side.
extension Channel {
  /// Takes one message of this channel. Messages that belong to no channel are no-ops.
  public mutating func receive(_ message: Message) throws(ChannelError) -> [ChannelFact] {
    switch message {
    case .channelReestablish(let body): return try receiveReestablish(body)
    case .initMessage, .error, .warning, .ping, .pong, .peerStorage, .peerStorageRetrieval, .fenceAnswer,
      .pushKey, .holdEnded, .service, .unknown:
      return []
    default:
      let id = message.channel ?? .zero
      guard id == record.id else { throw .otherChannel(id) }
      guard link.isUp else { throw .notReestablished }
      return try change { (channel) throws(ChannelError) in try channel.take(message) }
    }
  }

  private mutating func take(_ message: Message) throws(ChannelError) -> [ChannelFact] {
    switch message {
    case .addHTLC, .fulfillHTLC, .failHTLC, .failMalformedHTLC, .updateFee: try checkUpdate(message.type)
    default: break
    }
    return switch message {
    case .addHTLC(let body): try add(body)
    case .fulfillHTLC(let body): try fulfilled(body)
    case .failHTLC(let body): try failed(body)
    case .failMalformedHTLC(let body): try failedAsMalformed(body)
    case .updateFee: try feeUpdate()
    case .commitmentSigned(let body): try committed(body)
    case .revokeAndAck(let body): try revoked(body)
    default: try receiveOfSplice(message)
    }
  }

  private mutating func add(_ body: AddHTLC) throws(ChannelError) -> [ChannelFact] {
    guard body.id == record.nextReceivedID else {
      throw .unexpectedHTLCID(expected: record.nextReceivedID, got: body.id)
    }
    guard body.amountMsat > 0 else { throw .amountIsZero }
    guard body.amountMsat <= record.remoteMsat else {
      throw .amountAboveBalance(availableMsat: record.remoteMsat)
    }
    guard record.count(.received) < ChannelRecord.maximumHTLCs else { throw .tooManyHTLCs }
    guard body.cltvExpiry > 0, body.cltvExpiry < HTLC.cltvExpiryLimit else { throw .expiryOutOfRange }
    record.insert(
      HTLC(
        id: body.id, amountMsat: body.amountMsat, paymentHash: body.paymentHash, cltvExpiry: body.cltvExpiry,
        state: .receivedAdd, paymentData: body.paymentData))
    record.remoteMsat -= body.amountMsat
    record.nextReceivedID += 1
    return []
  }

  private mutating func fulfilled(_ body: FulfillHTLC) throws(ChannelError) -> [ChannelFact] {
    let index = try removable(body.id)
    guard SHA256.hash(body.preimage.bytes) == record.htlcs[index].paymentHash else {
      throw .wrongPreimage(id: body.id)
    }
    record.htlcs[index].state = .receivedRemove
    record.htlcs[index].removal = .fulfilled(preimage: body.preimage)
    return []
  }

  private mutating func failed(_ body: FailHTLC) throws(ChannelError) -> [ChannelFact] {
    let index = try removable(body.id)
    guard let code = body.code else { throw .malformedFailure(id: body.id) }
    record.htlcs[index].state = .receivedRemove
    record.htlcs[index].removal = .failed(code: code)
    return []
  }

  func removable(_ id: UInt64) throws(ChannelError) -> Int {
    guard let index = record.index(.offered, id) else { throw .unknownHTLC(id: id) }
    guard record.htlcs[index].removal == nil else { throw .alreadyRemoved(id: id) }
    guard record.htlcs[index].state == .sentAddAckRevocation else { throw .notCommitted(id: id) }
    return index
  }

  private mutating func committed(_ body: CommitmentSigned) throws(ChannelError) -> [ChannelFact] {
    guard record.splice == nil else { return try heardSpliceCommitment(body) }
    if let funding = body.funding, funding != record.funding.transaction { throw .otherFunding }
    guard !record.isRevocationDue else { throw .unexpectedMessage(type: 132) }
    let moved = advance(.commitmentReceived)
    guard !moved.isEmpty else { throw .emptyCommitment }
    let expected = record.htlcs.filter(\.state.isInLocalCommitment).count
    guard body.htlcSignatures.count == expected else {
      throw .wrongSignatureCount(expected: expected, got: body.htlcSignatures.count)
    }
    record.localCommitmentNumber += 1
    return moved.compactMap { htlc in
      switch (htlc.state, htlc.removal) {
      case (.receivedRemoveCommit, .fulfilled(.some(let preimage))): .fulfilled(htlc, preimage: preimage)
      case (.receivedRemoveCommit, .failed(let code)): .failed(htlc, code: code)
      case (.receivedRemoveAckCommit, _): .settled(htlc)
      default: nil
      }
    }
  }

  private mutating func revoked(_ body: RevokeAndAck) throws(ChannelError) -> [ChannelFact] {
    guard record.isCommitmentInFlight else { throw .unexpectedMessage(type: 133) }
    let expected = PerCommitmentSecret.secret(
      channel: record.id, ofOpener: !record.isOpener, commitment: record.revocationsReceived)
    guard ConstantTime.areEqual(body.perCommitmentSecret, expected) else { throw .wrongSecret }
    record.lastReceivedSecret = body.perCommitmentSecret
    record.revocationsReceived += 1
    return [.revoked]
      + advance(.revocationReceived).compactMap { htlc in
        switch htlc.state {
        case .receivedAddAckRevocation: .committed(htlc)
        case .sentRemoveAckCommit: .settled(htlc)
        default: nil
        }
      }
  }
}

/// BOLT 3's per-commitment secrets. Points and signatures are not implemented: the seed is a public function of the
/// channel and the side, so that each end can check the other's secrets exactly, and a channel's state has no
/// secret.
public enum PerCommitmentSecret {
  /// BOLT 3 counts commitments down from here.
  public static let firstIndex: UInt64 = (1 << 48) - 1

  public static func seed(channel: Bytes32, ofOpener: Bool) -> Bytes32 {
    SHA256.hash(Array("per-commitment seed".utf8) + channel.bytes + [ofOpener ? 1 : 0])
  }

  /// The secret that revokes the commitment of this number, counted up from zero.
  public static func secret(channel: Bytes32, ofOpener: Bool, commitment number: UInt64) -> Bytes32 {
    generate(seed: seed(channel: channel, ofOpener: ofOpener), index: firstIndex &- min(number, firstIndex))
  }

  /// BOLT 3's `generate_from_seed`.
  public static func generate(seed: Bytes32, index: UInt64) -> Bytes32 {
    var bytes = seed.bytes
    for bit in (0..<48).reversed() where index >> UInt64(bit) & 1 == 1 {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      SHA256.rehash(&bytes)
    }
    return Bytes32(bytes) ?? .zero
  }
}
