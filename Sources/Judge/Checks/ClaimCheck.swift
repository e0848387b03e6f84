import Ground

// Invariant 1, in the wallet's database: epochs rise by one, and each claim is in its process's journal.
extension Checker {
  mutating func checkClaims() {
    var previous: ClaimEntry?
    for claim in evidence.wallet.claims {
      checkSuccession(of: claim, after: previous)
      checkProcess(of: claim, after: previous)
      previous = claim
    }
    if evidence.wallet.container?.count != 16 { find(.containerID, at: [.wallet("meta")]) }
  }

  private mutating func checkSuccession(of claim: ClaimEntry, after previous: ClaimEntry?) {
    let seen = previous?.epoch ?? 0
    if claim.seenEpoch != seen { find(.claimedAgainst, claim.epoch, claim.seenEpoch, seen, at: [claim.row]) }
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
      guard let entry = evidence.ledger.connection(connection), let epoch = entry.epoch else { continue }
      if epoch < highest { find(.olderEpochAccepted, connection, epoch, highest, at: [entry.row]) }
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

// Invariant 1, in the wallet's database: every write of node state was made under the claim in force.
extension Checker {
  mutating func checkWrites() {
    let writes = evidence.wallet.writes
    var previous: NodeWriteEntry?
    let claims = evidence.wallet.claims
    let next = Dictionary(zip(claims, claims.dropFirst()).map { ($0.epoch, $1) }) { $1 }
    var counts: [String: Int64] = [:]
    for write in writes {
      checkOwner(of: write, after: previous, next)
      checkAnnouncement(of: write, &counts)
      if write.summary == nil { find(.writeUnknown, write.id, write.what, at: [write.row]) }
      previous = write
    }
    checkNumbers("node_writes", writes.map(\.id))
  }

  private mutating func checkOwner(
    of write: NodeWriteEntry, after previous: NodeWriteEntry?, _ next: [Int64: ClaimEntry]
  ) {
    guard let claim = evidence.wallet.claim(write.epoch), claim.incarnation == write.incarnation else {
      find(.writeUnclaimed, write.id, write.epoch, at: [write.row])
      return
    }
    if let previous, write.epoch < previous.epoch {
      find(.writeOfOlderEpoch, write.id, write.epoch, previous.epoch, at: [write.row, previous.row])
    }
    if let previous, write.atMonoNs < previous.atMonoNs {
      find(
        .writeStampedEarlier, write.id, previous.atMonoNs &- write.atMonoNs, at: [write.row, previous.row])
    }
    checkMoment(of: write, claim, next[write.epoch])
  }

  /// The write lies between its claim and the next one, in a step of its process's journal.
  private mutating func checkMoment(of write: NodeWriteEntry, _ claim: ClaimEntry, _ next: ClaimEntry?) {
    if let moment = moment(of: claim), write.atMonoNs < moment.earliestNs {
      find(.writeBeforeClaim, write.id, at: [write.row, claim.row])
    }
    if let next, let latest = moment(of: next)?.latestNs, write.atMonoNs > latest {
      find(.writeAfterNextClaim, write.id, write.epoch, next.epoch, at: [write.row, next.row])
    }
  }

  /// A process writes the journal's line first: for its n-th write there are n lines.
  private mutating func checkAnnouncement(of write: NodeWriteEntry, _ counts: inout [String: Int64]) {
    guard let claim = evidence.wallet.claim(write.epoch), let journal = evidence.journal(of: claim) else {
      return
    }
    let count = counts[journal.name, default: 0] + 1
    let isBehindEnd = journal.hasEnded && write.atMonoNs > journal.lastNs &+ stepSlackNs
    guard isBehindEnd || journal.announcedWrites(upTo: write.atMonoNs) < count else {
      counts[journal.name] = count
      return
    }
    if journal.mayLack(write.atMonoNs) { return }
    find(.writeUnannounced, write.id, at: [write.row, .journal(journal.name)])
  }
}

/// The records of one claim in a journal: the directive that ordered it, and the answer if the process received it.
struct ClaimMoment {
  let asked: JournalRecord
  let answered: JournalRecord?

  init?(of claim: ClaimEntry, in journal: JournalFile) {
    let events = journal.events(of: "guard")
    let answer = journal.placeOfAnswer(to: claim.epoch)
    let before = events[..<(answer ?? events.endIndex)]
    let place = before.lastIndex { record in
      record.directives.contains { Self.seen(by: $0, raised: claim.isRaised) != nil }
    }
    guard let place else { return nil }
    let asking = events[place]
    // With a line missing in between, this record may have ordered another claim.
    let end = answer.map { events[$0].line } ?? .max
    guard !journal.hasGap(fromLine: asking.line, to: end) else { return nil }
    if answer == nil {
      // The process was killed between its commit and the line of the answer.
      guard !journal.hasEnded, Self.areAnswers(events[(place + 1)...], to: asking),
        asking.directives.contains(where: { Self.seen(by: $0, raised: claim.isRaised) == claim.seenEpoch })
      else { return nil }
    }
    asked = asking
    answered = answer.map { events[$0] }
  }

  /// Whether all records answer orders that stand before the claim in the same list: each is answered by one record.
  private static func areAnswers(_ records: Slice<Rows<JournalRecord>>, to asking: JournalRecord) -> Bool {
    var open = asking.directives.compactMap { directive in
      answers.first { directive[$0.order] != nil }?.events
    }
    for record in records {
      guard let answered = open.firstIndex(where: { $0.contains { record.event[$0] != nil } }) else {
        return false
      }
      open.remove(at: answered)
    }
    return true
  }

  private static let answers = [
    (order: "readReceived", events: ["receivedFound", "receivedNotRead"]),
    (order: "stopNode", events: ["node"]),
  ]

  /// Whether the journal has an order of such a claim.
  static func isOrdered(_ claim: ClaimEntry, in journal: JournalFile) -> Bool {
    journal.events(of: "guard").contains { record in
      record.directives.contains { seen(by: $0, raised: claim.isRaised) == claim.seenEpoch }
    }
  }

  private static func seen(by directive: JSONValue, raised: Bool) -> Int64? {
    raised ? directive["raiseEpoch"]?["_0"]?["epoch"]?.integer : directive["claim"]?["seen"]?.integer
  }

  /// The earliest and latest time of the claim, on the monotonic clock.
  var earliestNs: Int64 { asked.atNs }
  var latestNs: Int64? { answered?.atNs }

  func differences(from claim: ClaimEntry, container: [UInt8]?) -> [String] {
    var differences: [String] = []
    for directive in asked.directives {
      if let seen = directive["claim"]?["seen"]?.integer, seen != claim.seenEpoch {
        differences.append("it was claimed against epoch \(seen), but the row says \(claim.seenEpoch)")
      }
    }
    if let granted = answered?.event.payload("claimed") {
      if granted["incarnation"]?.integer != claim.incarnation {
        differences.append("its process was given another incarnation than the row has")
      }
      if granted["container"]?.sixteenBytes != container {
        differences.append("its process was given another container id than the database has")
      }
    }
    return differences
  }
}
