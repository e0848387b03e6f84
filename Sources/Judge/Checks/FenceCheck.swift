// Invariant 1, at the peer: every accepted connection held a claim, and none of an older epoch was accepted after a
// newer.
extension Checker {
  mutating func checkFences(_ replay: PeerReplay) {
    checkAccepted(replay)
    let fences = evidence.ledger.fences
    for (index, fence) in fences.enumerated() {
      guard index < replay.raisedFences.count else {
        find(.fenceUnknown, fence.claim.epoch, at: [fence.row])
        continue
      }
      let expected = replay.raisedFences[index]
      if fence.claim != expected.claim || fence.atNs != expected.atNs {
        find(.fenceDiffers, fence.id, fence.claim.epoch, expected.claim.epoch, at: [fence.row])
      }
    }
    if fences.count < replay.raisedFences.count {
      find(.fenceMissing, replay.raisedFences[fences.count].claim.epoch, at: [.ledger("fence")])
    }
  }

  private mutating func checkAccepted(_ replay: PeerReplay) {
    var highest: Int64 = 0
    for (connection, _) in replay.accepted {
      guard let entry = evidence.ledger.connection(connection),
        let epoch = entry.epoch
      else { continue }
      if epoch < highest {
        find(.olderEpochAccepted, connection, epoch, highest, at: [entry.row])
      }
      highest = max(highest, epoch)
    }
    guard evidence.hasContainer else { return }
    for entry in evidence.ledger.connections { checkClaim(of: entry) }
  }

  /// The claim is of another container that the wallet moved from or to: that database has it.
  func isOfOtherContainer(_ entry: ConnectionEntry) -> Bool {
    entry.container.map { evidence.moves.otherContainers.contains($0) } ?? false
  }

  /// Every epoch at the peer is a claim in the database, with its incarnation.
  private mutating func checkClaim(of entry: ConnectionEntry) {
    guard let epoch = entry.epoch, entry.verdict != "refused-other-container", !isOfOtherContainer(entry)
    else { return }
    let claim = evidence.wallet.claim(epoch)
    if claim == nil || claim?.incarnation != entry.incarnation || entry.container != evidence.wallet.container
    {
      find(.connectionUnclaimed, entry.id, epoch, at: [entry.row])
      return
    }
    guard let claim, let moment = moment(of: claim) else { return }
    if let judged = entry.judgedAtNs, judged < moment.earliestNs {
      find(.connectionBeforeClaim, entry.id, epoch, at: [entry.row, claim.row])
    }
  }
}
