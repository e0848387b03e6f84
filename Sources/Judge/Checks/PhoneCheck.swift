// Invariants 5 and 7: the shown notifications, and the extension's limits.
extension Checker {
  mutating func checkPhone() {
    let limits = isEnforced
    if let phone = evidence.phone {
      counts.pushes = phone.pushes.count
      counts.notifications = phone.notifications.count
      counts.kills = phone.processes.filter { $0.how == "signalled" && $0.number == 9 }.count
      if phone.problems["pushes.jsonl"] == nil, phone.problems["notifications.jsonl"] == nil {
        checkNotifications(of: phone)
      }
      if phone.problems["notifications.jsonl"] == nil { checkToldOnce(phone) }
      for failure in phone.processes where failure.isCrash || failure.endedWithError {
        remark("\(failure.role) process \(failure.pid) \(failure.reason ?? "crashed")")
      }
      if limits { checkMemory(phone) }
    }
    if limits { for journal in evidence.journals(of: "iosd") { checkTime(journal) } }
  }

  private mutating func checkNotifications(of phone: PhoneEvidence) {
    var shown: [Int64: Int] = [:]
    for notification in phone.notifications {
      if let push = notification.push { shown[push, default: 0] += 1 }
    }
    let journals = evidence.journals(of: "iosd")
    let starts = journals.map(\.startedNs)
    // Their rows are lost evidence.
    let shownOnce = Set(phone.shownWithoutRow(journals).map(\.push))
    for push in phone.pushes where push.isVisible {
      let count = shown[push.id] ?? 0
      let isOfNow = evidence.certainUntilNs.map { push.atNs > $0 &- Self.servedWithinNs } ?? false
      // The newest journal that had started by then; journals are sorted by start.
      let begun = starts.countOfThose(upTo: push.atNs)
      let mayHaveNone =
        isOfNow || push.isAppsOwn || push.isUnwanted || shownOnce.contains(push.id)
        || mayBeLostOrHeld(push, begun > 0 ? journals[begun - 1] : nil)
      guard count != 1, !(count == 0 && mayHaveNone) else { continue }
      find(.pushNotifications, push.id, count, at: [.phone("pushes", push.id)])
    }
    for push in phone.pushes where push.isBadgeOrSound && shown[push.id] != nil {
      find(.notificationOfBadge, push.id, at: [.phone("pushes", push.id)])
    }
  }

  /// Only a killed iosd loses a push; one that exits first shows its pending pushes, and drops one that it holds for a
  /// phone off the network. So the journal of the iosd that got the push, if present, must have no end.
  /// The row of a lost push says so only after the next start of iosd.
  private func mayBeLostOrHeld(_ push: PhoneEvidence.Push, _ taker: JournalFile?) -> Bool {
    let isOpen = [nil, "delivered", "late"].contains(push.fate)
    let isUnderWay = isOpen && taker.map { push.atNs > $0.lastNs &- Self.servedWithinNs } ?? false
    guard push.isLost || push.isHeld || isUnderWay else { return false }
    return taker.map { !$0.hasEnded } ?? true
  }

  /// An extension has 30 s, after which iosd shows the push itself.
  private static let servedWithinNs: Int64 = 40_000_000_000

  private mutating func checkMemory(_ phone: PhoneEvidence) {
    let limit: Int64 = (24 + 1) * 1_048_576
    for process in phone.processes where process.role == "extension" {
      guard let peak = process.peakFootprintBytes, peak > limit, process.endCode != "memory-limit" else {
        continue
      }
      find(.memory, process.pid, peak, at: [.phone("processes", process.id)])
    }
  }

  /// A phone without limits measures, but does not enforce.
  private var isEnforced: Bool {
    !evidence.journals(of: "iosd").contains { journal in
      journal.configurations(of: "phone").contains { $0 == .bool(false) }
    }
  }

  /// The time from the delivery of a push to the extension until the extension finished it.
  private mutating func checkTime(_ journal: JournalFile) {
    var serving: (push: Int64, sinceNs: Int64, line: Int)?
    var lastKill: (line: Int, atNs: Int64)?
    for record in journal.events(of: "phone") {
      // The end may be among missing lines.
      if let current = serving, journal.hasGap(fromLine: current.line, to: record.line) { serving = nil }
      let isOver =
        record.event["serviceFinished"] != nil || record.event["processEnded"]?["_0"]?.text == "extension"
        // iosd stops the extension as soon as it has the text: often before the extension says that it has finished.
        || record.directives.contains { $0["suspend"]?["_0"]?.text == "extension" }
      // The phone may have been paused: then its timer was late, not the extension.
      let isBeingKilled = lastKill.map { record.atNs &- $0.atNs < 1_000_000_000 } ?? false
      if let current = serving, !isKilled(record), !isBeingKilled {
        if checkTime(of: current.push, sinceNs: current.sinceNs, untilNs: record.atNs, record.row) {
          serving = nil
        }
      }
      if isOver || isKilled(record) { serving = nil }
      if isKilled(record) { lastKill = (record.line, record.atNs) }
      for directive in record.directives {
        guard directive["tell"]?["_0"]?.text == "extension",
          let push = directive["tell"]?["_1"]?["push"]?["id"]?.integer
        else { continue }
        serving = (push, record.atNs, record.line)
      }
    }
    guard let current = serving, !journal.hasGap(fromLine: current.line, to: .max) else { return }
    let isBeingKilled = lastKill.map { journal.lastNs &- $0.atNs < 1_000_000_000 } ?? false
    if !isBeingKilled {
      _ = checkTime(
        of: current.push, sinceNs: current.sinceNs, untilNs: journal.lastNs, .journal(journal.name))
    }
  }

  private mutating func checkTime(
    of push: Int64, sinceNs: Int64, untilNs: Int64, _ row: EvidenceRow
  ) -> Bool {
    let limit: Int64 = 31_000_000_000
    guard untilNs &- sinceNs > limit else { return false }
    find(.time, push, at: [row])
    return true
  }

  private func isKilled(_ record: JournalRecord) -> Bool {
    record.directives.contains { $0["kill"]?["_0"]?.text == "extension" }
  }
}
