// From the first signature to the new funding, across connections, processes and crashes.
extension Channel {
  /// The `commitment_signed` for the new funding. It has the current commitment's number and moves no HTLC.
  func spliceCommitment(_ splice: PendingSplice) -> Message {
    let signatures = record.htlcs.filter(\.state.isInRemoteCommitment).map { _ in Signature.zeros }
    return .commitmentSigned(
      CommitmentSigned(channel: record.id, htlcSignatures: signatures, funding: splice.id))
  }

  private func signatures(_ splice: PendingSplice) -> Message {
    .transactionSignatures(
      TransactionSignatures(channel: record.id, transaction: splice.id, sharedInputSignature: .zeros))
  }

  mutating func heardSpliceCommitment(_ body: CommitmentSigned) throws(ChannelError) -> [ChannelFact] {
    guard var splice = record.splice, splice.stage == .signing else { throw .unexpectedMessage(type: 132) }
    guard body.funding == splice.id else { throw .otherFunding }
    let expected = record.htlcs.filter(\.state.isInLocalCommitment).count
    guard body.htlcSignatures.count == expected else {
      throw .wrongSignatureCount(expected: expected, got: body.htlcSignatures.count)
    }
    splice.stage = .committed
    record.splice = splice
    // BOLT 2: the shared input counts as the initiator's, so the other end signs first.
    if !splice.isOurs { send(signatures(splice)) }
    return []
  }

  mutating func heardSignatures(_ body: TransactionSignatures) throws(ChannelError) -> [ChannelFact] {
    guard var splice = record.splice, splice.stage == .committed else { throw .unexpectedMessage(type: 71) }
    guard body.transaction == splice.id else { throw .otherFunding }
    guard body.sharedInputSignature != nil else { throw .lacksSharedSignature }
    // Neither end has an input of its own.
    guard body.witnesses.isEmpty else { throw .wrongSignatureCount(expected: 0, got: body.witnesses.count) }
    splice.stage = .signed
    record.splice = splice
    if splice.isOurs { send(signatures(splice)) }
    // Without a chain, a broadcast transaction counts as confirmed (Phoenix: zero-conf).
    send(.spliceLocked(SpliceLocked(channel: record.id, transaction: splice.id)))
    if link.splicing.heardLocked { move(to: splice) }
    return []
  }

  mutating func heardLocked(_ transaction: TransactionID) throws(ChannelError) -> [ChannelFact] {
    guard let splice = record.splice, splice.stage == .signed else { throw .unexpectedMessage(type: 77) }
    guard transaction == splice.id else { throw .otherFunding }
    move(to: splice)
    return []
  }

  /// Both have sent `splice_locked`. The amount was checked against the balance, which has not changed since.
  private mutating func move(to splice: PendingSplice) {
    if splice.isOurs {
      record.localMsat -= splice.totalMsat
    } else {
      record.remoteMsat -= splice.totalMsat
    }
    record.splicedTo = splice.funding
    record.splice = nil
    link.splicing.talk = nil
    link.splicing.heardLocked = false
  }

  // MARK: Reconnection

  /// Adds the fundings to `channel_reestablish`.
  func addFundings(to message: inout ChannelReestablish) {
    if let splice = record.splice, splice.stage != .signed {
      message.nextFunding = NextFunding(transaction: splice.id, needsCommitment: splice.stage == .signing)
    }
    guard link.splicing.side != nil || record.splice != nil || record.splicedTo != nil else { return }
    let isLocked = record.splice?.stage == .signed
    message.fundingLocked = FundingLocked(
      transaction: isLocked ? record.splice?.id ?? funding.transaction : funding.transaction)
  }

  /// Throws if one side has lost a splice that the other has completed. The commitment numbers do not show a splice.
  func checkFundings(_ theirs: ChannelReestablish) throws(ChannelError) {
    if let locked = theirs.fundingLocked?.transaction, locked != funding.transaction,
      locked != record.splice?.id
    {
      throw locked.hash == record.id ? .peerIsBehind(theirs: theirs) : .weAreBehind(theirs: theirs)
    }
    // The other end has both signatures for this funding: this side has lost the state in which it signed.
    if let splice = record.splice, !splice.hasSigned, theirs.fundingLocked?.transaction == splice.id {
      throw .weAreBehind(theirs: theirs)
    }
    guard let next = theirs.nextFunding?.transaction, next != record.splice?.id else { return }
    if next == funding.transaction { throw .peerIsBehind(theirs: theirs) }
    if let splice = record.splice, splice.stage != .signed { throw .conflictingSplices }
  }

  /// Sends lost messages of the splice again.
  mutating func resumeSplice(_ theirs: ChannelReestablish) {
    if let next = theirs.nextFunding, next.transaction != record.splice?.id { _ = abort(.unknownFunding) }
    guard let splice = record.splice else { return }
    if let next = theirs.nextFunding, next.transaction == splice.id {
      if splice.stage != .signed, next.needsCommitment { send(spliceCommitment(splice)) }
      if splice.stage == .signed || splice.stage == .committed && !splice.isOurs { send(signatures(splice)) }
    }
    guard theirs.fundingLocked?.transaction == splice.id else { return }
    if splice.stage == .signed { return move(to: splice) }
    link.splicing.heardLocked = true
  }
}
