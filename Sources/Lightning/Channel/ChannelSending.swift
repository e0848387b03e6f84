import Ground

// Outgoing messages and their order.
extension Channel {
  /// All messages that are due: first those lost with the last connection, then a revocation if one is due, then
  /// updates with the commitment that covers them, if none is in flight. This changes the states: make the channel
  /// durable, then send.
  public mutating func takeOutgoing() -> [ChannelOutgoing] {
    guard link.isUp else { return [] }
    let before = record
    var outgoing = takeLost()
    if record.isRevocationDue { outgoing.append(revoke()) }
    outgoing += takeOfSplice() + commit() + takeStfu()
    if record != before { record.revision += 1 }
    return outgoing
  }

  /// The lost commitment and revocation, in the order in which they were sent: the order decides which HTLCs the
  /// commitment contains.
  private mutating func takeLost() -> [ChannelOutgoing] {
    let commitment = link.mustResendCommitment ? updatesAndCommitment() : []
    let revocation = link.mustResendRevocation ? [revocation(number: record.revocationsSent &- 1)] : []
    link.mustResendCommitment = false
    link.mustResendRevocation = false
    return record.sentRevocationLast ? commitment + revocation : revocation + commitment
  }

  private mutating func revoke() -> ChannelOutgoing {
    let message = revocation(number: record.revocationsSent)
    _ = advance(.revocationSent)
    record.revocationsSent += 1
    record.sentRevocationLast = true
    return message
  }

  private func revocation(number: UInt64) -> ChannelOutgoing {
    .message(
      .revokeAndAck(
        RevokeAndAck(
          channel: record.id,
          perCommitmentSecret: PerCommitmentSecret.secret(
            channel: record.id, ofOpener: record.isOpener, commitment: number))))
  }

  private mutating func commit() -> [ChannelOutgoing] {
    guard !record.isCommitmentInFlight, !advance(.commitmentSent).isEmpty else { return [] }
    record.remoteCommitmentNumber += 1
    record.sentRevocationLast = false
    return updatesAndCommitment()
  }

  /// The commitment in flight, after the updates that it was the first to cover. Both follow from the states alone,
  /// so the messages sent again are identical.
  private func updatesAndCommitment() -> [ChannelOutgoing] {
    var outgoing = record.htlcs.filter { $0.state == .sentAddCommit }.map(addition)
    outgoing += record.htlcs.filter { $0.state == .sentRemoveCommit }.map(removal)
    let signatures = record.htlcs.filter(\.state.isInRemoteCommitment).map { _ in Signature.zeros }
    let funding = link.splicing.side == nil ? nil : record.funding.transaction
    let commitment = CommitmentSigned(channel: record.id, htlcSignatures: signatures, funding: funding)
    return outgoing + [.message(.commitmentSigned(commitment))]
  }

  private func addition(_ htlc: HTLC) -> ChannelOutgoing {
    .message(
      .addHTLC(
        AddHTLC(
          channel: record.id, id: htlc.id, amountMsat: htlc.amountMsat, paymentHash: htlc.paymentHash,
          cltvExpiry: htlc.cltvExpiry, paymentData: htlc.paymentData)))
  }

  private func removal(_ htlc: HTLC) -> ChannelOutgoing {
    if case .failed(let code) = htlc.removal {
      .message(.failHTLC(FailHTLC(channel: record.id, id: htlc.id, code: code)))
    } else {
      .fulfill(id: htlc.id, paymentHash: htlc.paymentHash)
    }
  }
}

/// A message to send once its channel is durable.
public enum ChannelOutgoing: Hashable, Codable, Sendable {
  case message(Message)
  /// `update_fulfill_htlc` without its preimage, which `Channel.fulfilMessage` adds before encoding: the preimage
  /// must be in no journal and no state before the payment is settled.
  case fulfill(id: UInt64, paymentHash: Bytes32)
}
