import Crypto

// Disconnection and re-establishment.
extension Channel {
  /// Our `channel_reestablish`. Send it once per connection; with a side if both ends splice.
  public mutating func reestablish(splicing side: SplicingSide? = nil) -> Message {
    link.saidReestablish = true
    link.splicing.side = side
    var message = ChannelReestablish(
      channel: record.id, nextCommitmentNumber: record.localCommitmentNumber &+ 1,
      nextRevocationNumber: record.revocationsReceived,
      yourLastPerCommitmentSecret: record.lastReceivedSecret)
    addFundings(to: &message)
    return .channelReestablish(message)
  }

  /// Drops the connection's state and the other side's uncommitted updates: it sends them again, or others.
  public mutating func disconnected() {
    link = ChannelLink()
    rollBack()
  }

  mutating func rollBack() {
    let before = record
    var remaining: [HTLC] = []
    for var htlc in record.htlcs {
      switch htlc.state {
      case .receivedAdd:
        record.remoteMsat += htlc.amountMsat
        record.nextReceivedID -= 1
      case .receivedRemove:
        htlc.state = .sentAddAckRevocation
        htlc.removal = nil
        remaining.append(htlc)
      default: remaining.append(htlc)
      }
    }
    record.htlcs = remaining
    if record != before { record.revision += 1 }
  }

  /// Compares both sides' numbers, and schedules lost messages for the next `takeOutgoing`.
  public mutating func receiveReestablish(_ theirs: ChannelReestablish) throws(ChannelError) -> [ChannelFact]
  {
    guard theirs.channel == record.id else { throw .otherChannel(theirs.channel) }
    guard !link.heardReestablish else { throw .unexpectedMessage(type: 136) }
    try checkRevocations(theirs)
    try checkCommitments(theirs)
    try checkFundings(theirs)
    rollBack()
    link.heardReestablish = true
    link.mustResendRevocation = theirs.nextRevocationNumber != record.revocationsSent
    link.mustResendCommitment = theirs.nextCommitmentNumber == record.remoteCommitmentNumber
    let before = record
    resumeSplice(theirs)
    if record != before { record.revision += 1 }
    return [.reestablished]
  }

  /// Whether the other side's numbers prove that this state is older than the one that it knows.
  package func isBehind(_ theirs: ChannelReestablish) -> Bool {
    if lacksSplice(of: theirs) { return true }
    var copy = self
    copy.disconnected()
    do throws(ChannelError) { _ = try copy.receiveReestablish(theirs) } catch {
      if case .weAreBehind = error { return true }
    }
    return false
  }

  /// The other side is bound to a splice that this side has signed, and this state does not have it.
  private func lacksSplice(of theirs: ChannelReestablish) -> Bool {
    guard let next = theirs.nextFunding, !next.needsCommitment else { return false }
    return next.transaction != record.splice?.id && next.transaction != funding.transaction
  }

  /// The millions of the revision. Another device may have committed steps that the peer never saw, and counted its
  /// revisions on: those steps must not pass for newer. So each owner counts on from a million of its own, above those
  /// of all owners before it, on any device.
  package var history: UInt64 { record.revision / Self.revisionsOfHistory }

  package mutating func beginHistory(_ number: UInt64) { record.revision = number * Self.revisionsOfHistory }

  private static let revisionsOfHistory: UInt64 = 1_000_000
  /// Of those that an epoch gives. The rest is for adopted states, which count on from the next million.
  package static let historiesMax = ChannelRecord.counterLimit / revisionsOfHistory / 2

  private func checkRevocations(_ theirs: ChannelReestablish) throws(ChannelError) {
    let number = theirs.nextRevocationNumber
    guard number < ChannelRecord.counterLimit else { throw .wrongSecret }
    let expected =
      number == 0
      ? .zero
      : PerCommitmentSecret.secret(channel: record.id, ofOpener: record.isOpener, commitment: number - 1)
    // Without this proof the peer could make this side believe that it has lost data.
    guard ConstantTime.areEqual(theirs.yourLastPerCommitmentSecret, expected) else { throw .wrongSecret }
    if number > record.revocationsSent { throw .weAreBehind(theirs: theirs) }
    // A commitment received after the last revocation proves that the revocation arrived.
    let oldest = record.isRevocationDue ? record.revocationsSent : max(record.revocationsSent, 1) - 1
    if number < oldest { throw .peerIsBehind(theirs: theirs) }
  }

  private func checkCommitments(_ theirs: ChannelReestablish) throws(ChannelError) {
    let sent = record.remoteCommitmentNumber
    if theirs.nextCommitmentNumber > sent + 1 { throw .weAreBehind(theirs: theirs) }
    let oldest = record.isCommitmentInFlight ? sent : sent + 1
    if theirs.nextCommitmentNumber < oldest { throw .peerIsBehind(theirs: theirs) }
  }
}
