// Invariant 4: the peer stores the wallet's backups, in order; nothing else is left when the wallet's database is lost.
extension Checker {
  mutating func checkBackups() {
    let sent = frames.compactMap { frame -> SentBackup? in
      guard frame.entry.isIn, frame.entry.isActedOn, case .storage(let hash)? = frame.message else {
        return nil
      }
      return SentBackup(atNs: frame.entry.atNs, hash: hash)
    }
    let kept = evidence.ledger.backups
    let delay = StorageDelay(evidence.ledger, frames: frames)
    var next = 0
    for (place, backup) in sent.enumerated() {
      let earlier = next > 0 ? kept[next - 1] : nil
      if next < kept.count, kept[next].has(hash: backup.hash) {
        if !delay.permits(kept[next], sentAtNs: backup.atNs, after: earlier) {
          find(4, "The peer stored a backup later than its --storage-delay allows", [kept[next].evidence])
        }
        next += 1
      } else if !delay.mayLeaveOut(
        backup, after: earlier, before: place + 1 < sent.count ? sent[place + 1] : nil)
      {
        return find(4, "The peer's backups are not those that the wallet stored", ["ledger backups"])
      }
    }
    guard next == kept.count else {
      return find(4, "The peer's backups are not those that the wallet stored", [kept[next].evidence])
    }
    if let newest = kept.last, newest.isOnlyHash {
      find(4, "The peer keeps only the hash of the newest backup", [newest.evidence])
    }
    checkPace()
  }

  private mutating func checkPace() {
    let kept = evidence.ledger.backups
    for place in kept.indices.dropFirst() {
      let (earlier, later) = (kept[place - 1], kept[place])
      guard let run = evidence.ledger.run(at: later.atNs), earlier.atNs >= run.startedNs,
        later.atNs &- earlier.atNs < run.storageDelayNs
      else { continue }
      find(
        4, "The peer stored a backup sooner after the one before than its --storage-delay allows",
        [later.evidence])
    }
  }
}

private struct SentBackup {
  let atNs: Int64
  let hash: [UInt8]
}

/// A peer without a delay stores each backup with its message. One that limits the rate keeps the last of those that
/// come within the delay of the one before, and stores it before it handles anything that comes later.
private struct StorageDelay {
  private let ledger: LedgerEvidence
  private let frameTimes: [Int64]

  init(_ ledger: LedgerEvidence, frames: some Sequence<ReadFrame>) {
    self.ledger = ledger
    frameTimes = ledger.runs.contains { $0.storageDelayNs > 0 } ? frames.map(\.entry.atNs) : []
  }

  func permits(_ backup: BackupEntry, sentAtNs: Int64, after earlier: BackupEntry?) -> Bool {
    guard let endNs = end(at: sentAtNs, after: earlier) else { return backup.atNs == sentAtNs }
    return backup.atNs >= endNs && !hasFrame(after: endNs, before: backup.atNs)
  }

  func mayLeaveOut(_ backup: SentBackup, after earlier: BackupEntry?, before newer: SentBackup?) -> Bool {
    guard let endNs = end(at: backup.atNs, after: earlier) else { return false }
    if let newer, newer.atNs < endNs { return true }
    // Nothing of this run is known from after that time: it may have ended before.
    let runEndNs = ledger.runs.first { $0.startedNs > backup.atNs }?.startedNs ?? .max
    return !hasFrame(after: endNs, before: runEndNs)
  }

  /// The end of the delay that the backup before has begun; nil if a backup of that time is stored with its message.
  private func end(at atNs: Int64, after earlier: BackupEntry?) -> Int64? {
    guard let earlier, let run = ledger.run(at: atNs), run.storageDelayNs > 0, earlier.atNs >= run.startedNs
    else { return nil }
    let endNs = earlier.atNs &+ run.storageDelayNs
    return atNs < endNs ? endNs : nil
  }

  private func hasFrame(after beginNs: Int64, before endNs: Int64) -> Bool {
    let place = frameTimes.countOfThose(upTo: beginNs)
    return place < frameTimes.count && frameTimes[place] < endNs
  }
}
