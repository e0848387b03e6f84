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
      find(1, "The container's id is missing or has not 16 bytes", ["node.sqlite meta container"])
    }
  }

  private mutating func checkSuccession(of claim: ClaimEntry, after previous: ClaimEntry?) {
    let seen = previous?.epoch ?? 0
    if claim.seenEpoch != seen {
      find(
        1,
        "Epoch \(claim.epoch) was claimed against epoch \(claim.seenEpoch), but the one before it is \(seen)",
        [claim.evidence])
    }
    if claim.isRaised {
      // A move raises the epoch above its own claim as well.
      let isAboveOwn = claim.movesHere && claim.epoch == seen &+ 1
      if evidence.hasLedger, !isAboveOwn, !reportedEpochs.contains(claim.epoch &- 1) {
        find(
          1, "Epoch \(claim.epoch) was raised above \(claim.epoch &- 1), which the peer never reported",
          [claim.evidence])
      }
    } else if claim.epoch != seen &+ 1 {
      find(1, "Epoch \(claim.epoch) follows epoch \(seen): there is a gap", [claim.evidence])
    }
    guard let previous, previous.boot == claim.boot else { return }
    if claim.bootNs < previous.bootNs {
      find(
        1,
        "Epoch \(claim.epoch) was claimed \(previous.bootNs &- claim.bootNs) ns before epoch \(previous.epoch)",
        [claim.evidence, previous.evidence])
    }
  }

  /// Compares the row with the journal of its process.
  private mutating func checkProcess(of claim: ClaimEntry, after previous: ClaimEntry?) {
    guard let journal = evidence.journal(of: claim) else {
      guard let other = evidence.journal(answeringEpoch: claim.epoch),
        missing.hasJournal(ofEpoch: claim.epoch)
      else { return }
      find(
        1,
        "Epoch \(claim.epoch) was claimed by process \(claim.pid) (started at \(claim.startTime)), "
          + "which has no journal, but another process's journal has the claim",
        [claim.evidence, "journal \(other.name)"])
      return
    }
    if claim.role != (journal.process == "mainappd" ? "app" : "extension") {
      find(
        1, "Epoch \(claim.epoch) was claimed as \(claim.role) by \(journal.process)",
        [claim.evidence, "journal \(journal.name)"])
    }
    if claim.isRaised, let previous, journal.pid != previous.pid || journal.startTime != previous.startTime {
      find(1, "Epoch \(claim.epoch) was raised by another process than the owner", [claim.evidence])
    }
    guard let moment = moment(of: claim) else {
      if journal.mayLack(wallNs: claim.wallNs) { return }
      find(
        1, "Epoch \(claim.epoch) is in the database, but the journal of its process has no such claim",
        [claim.evidence, "journal \(journal.name)"])
      return
    }
    for difference in moment.differences(from: claim, container: evidence.wallet.container) {
      find(1, "Epoch \(claim.epoch): \(difference)", [claim.evidence, moment.asked.evidence])
    }
  }
}
