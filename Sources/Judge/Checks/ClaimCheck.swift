// Invariant 1, in the wallet's database: epochs rise by one, and each claim is in its process's journal.
extension Checker {
  mutating func checkClaims() {
    var previous: ClaimEntry?
    for claim in evidence.wallet.claims {
      checkSuccession(of: claim, after: previous)
      checkProcess(of: claim, after: previous)
      previous = claim
    }
    if evidence.wallet.container?.count != 16 {
      find(.containerID, at: [.wallet("meta")])
    }
  }

  private mutating func checkSuccession(of claim: ClaimEntry, after previous: ClaimEntry?) {
    let seen = previous?.epoch ?? 0
    if claim.seenEpoch != seen {
      find(.claimedAgainst, claim.epoch, claim.seenEpoch, seen, at: [claim.row])
    }
    if claim.isRaised {
      // A move raises the epoch above its own claim as well.
      let isAboveOwn = claim.movesHere && claim.epoch == seen &+ 1
      if evidence.hasLedger, !isAboveOwn, !reportedEpochs.contains(claim.epoch &- 1) {
        find(.raisedUnreported, claim.epoch, claim.epoch &- 1, at: [claim.row])
      }
    } else if claim.epoch != seen &+ 1 {
      find(.epochGap, claim.epoch, seen, at: [claim.row])
    }
    guard let previous, previous.boot == claim.boot else { return }
    if claim.claimedBootNs < previous.claimedBootNs {
      find(
        .claimedEarlier, claim.epoch, previous.claimedBootNs &- claim.claimedBootNs, previous.epoch,
        at: [claim.row, previous.row])
    }
  }

  /// Compares the row with the journal of its process.
  private mutating func checkProcess(of claim: ClaimEntry, after previous: ClaimEntry?) {
    guard let journal = evidence.journal(of: claim) else {
      guard let other = evidence.journal(answeringEpoch: claim.epoch),
        missing.hasJournal(ofEpoch: claim.epoch)
      else { return }
      find(
        .claimInOtherJournal, claim.epoch, claim.pid, claim.startTime, at: [claim.row, .journal(other.name)])
      return
    }
    if claim.role != (journal.process == "mainappd" ? "app" : "extension") {
      find(.claimRole, claim.epoch, claim.role, journal.process, at: [claim.row, .journal(journal.name)])
    }
    if claim.isRaised, let previous, journal.pid != previous.pid || journal.startTime != previous.startTime {
      find(.raisedByOther, claim.epoch, at: [claim.row])
    }
    guard let moment = moment(of: claim) else {
      if journal.mayLack(wallNs: claim.claimedWallNs) { return }
      find(.claimNotInJournal, claim.epoch, at: [claim.row, .journal(journal.name)])
      return
    }
    for difference in moment.differences(from: claim, container: evidence.wallet.container) {
      find(.claimDiffers, claim.epoch, difference, at: [claim.row, moment.asked.row])
    }
  }
}
