// Invariant 4: the peer stores the wallet's backups, in order; nothing else is left when the wallet's database is lost.
extension Checker {
  /// A peer without a delay stores each backup. One that limits the rate stores the last of each window at its end, so
  /// it may leave out a backup if a newer one came within the delay, or if the peer ended.
  mutating func checkBackups() {
    let sent = frames.compactMap { frame -> SentBackup? in
      guard frame.entry.isIn, frame.entry.isActedOn, case .storage(let blob)? = frame.message else {
        return nil
      }
      return SentBackup(atNs: frame.entry.atNs, blob: blob)
    }
    let kept = evidence.ledger.backups
    let lastNs = lastFrames
    var next = 0
    for (place, backup) in sent.enumerated() {
      if next < kept.count, kept[next].blob == backup.blob, kept[next].atNs >= backup.atNs {
        next += 1
      } else if !mayBeLeftOut(backup, before: place + 1 < sent.count ? sent[place + 1] : nil, lastNs) {
        return find(4, "The peer's backups are not those that the wallet stored", ["ledger backups"])
      }
    }
    guard next == kept.count else {
      return find(4, "The peer's backups are not those that the wallet stored", [kept[next].evidence])
    }
    checkPace()
  }

  private struct SentBackup {
    let atNs: Int64
    let blob: [UInt8]
  }

  /// When each run's last frame came or went.
  private var lastFrames: [Int64: Int64] {
    guard evidence.ledger.runs.contains(where: { $0.storageDelayNs > 0 }) else { return [:] }
    var last: [Int64: Int64] = [:]
    for frame in frames {
      if let run = evidence.ledger.run(at: frame.entry.atNs) { last[run.id] = frame.entry.atNs }
    }
    return last
  }

  private func mayBeLeftOut(
    _ backup: SentBackup, before newer: SentBackup?, _ lastNs: [Int64: Int64]
  ) -> Bool {
    guard let run = evidence.ledger.run(at: backup.atNs), run.storageDelayNs > 0 else { return false }
    let dueNs = backup.atNs + run.storageDelayNs
    if let newer, newer.atNs <= dueNs { return true }
    // Nothing of this run is known from after that time: it may have ended before.
    return (lastNs[run.id] ?? 0) <= dueNs
  }

  private mutating func checkPace() {
    let kept = evidence.ledger.backups
    for place in kept.indices.dropFirst() {
      let (earlier, later) = (kept[place - 1], kept[place])
      guard let run = evidence.ledger.run(at: later.atNs), earlier.atNs >= run.startedNs,
        later.atNs - earlier.atNs < run.storageDelayNs
      else { continue }
      find(
        4, "The peer stored a backup sooner after the one before than its --storage-delay allows",
        [later.evidence])
    }
  }
}
