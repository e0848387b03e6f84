// Invariants 5 and 7: what the phone showed, and what it let the extension use.
extension Hearing {
  mutating func checkPhone() {
    let phone = evidence.phone
    counts.pushes = phone.pushes.count
    counts.notifications = phone.notifications.count
    counts.kills = phone.processes.filter { $0.how == "signalled" && $0.number == 9 }.count
    for push in phone.pushes where push.isVisible { checkNotification(of: push) }
    for failure in phone.processes where failure.isCrash || failure.endedWithError {
      remark("\(failure.role) process \(failure.pid) \(failure.reason ?? "crashed")")
    }
    checkMemory()
    for journal in evidence.journals(of: "iosd") { checkTime(journal) }
  }

  private mutating func checkNotification(of push: PhoneEvidence.Push) {
    let shown = evidence.phone.notifications.filter { $0.push == push.id }.count
    let isOfNow = evidence.certainUntilNs.map { push.atNs > $0 &- 40_000_000_000 } ?? false
    let mayHaveNone = isOfNow || isProvedAppsOwn(push) || isProvedLost(push) || push.isUnwanted
    guard shown != 1, !(shown == 0 && mayHaveNone) else { return }
    find(5, "The visible push \(push.id) ended with \(shown) notifications", ["os/pushes.jsonl \(push.id)"])
  }

  /// Its row alone may have been written by anybody: where there is a journal of the phone that goes back so far, it must
  /// say so, too.
  private func isProvedAppsOwn(_ push: PhoneEvidence.Push) -> Bool {
    guard push.isAppsOwn else { return false }
    let journals = evidence.journals(of: "iosd").filter { $0.startedNs <= push.atNs }
    return journals.isEmpty || journals.contains { $0.gaveToApp(push.id) }
  }

  /// Only an iosd that was killed loses a push: one that ends by itself shows first what waits. Where there is the journal of
  /// the one that took it, that must have no end.
  private func isProvedLost(_ push: PhoneEvidence.Push) -> Bool {
    guard push.isLost else { return false }
    let taker = evidence.journals(of: "iosd").filter { $0.startedNs <= push.atNs }
      .max { $0.startedNs < $1.startedNs }
    return taker.map { !$0.hasEnded } ?? true
  }

  private mutating func checkMemory() {
    // A debug build of the phone measures and does not enforce.
    guard isEnforced else { return }
    let limit: Int64 = (24 + 1) * 1_048_576
    for process in evidence.phone.processes where process.role == "extension" {
      guard let peak = process.peakFootprintBytes, peak > limit, process.reason?.contains("mem limit") != true
      else {
        continue
      }
      find(
        7, "The extension process \(process.pid) used \(peak) bytes and was not killed for it",
        ["os/processes.jsonl \(process.id)"])
    }
  }

  private var isEnforced: Bool {
    !evidence.journals(of: "iosd").contains { journal in
      journal.configurations(of: "phone").contains { $0["enforcesLimits"] == .bool(false) }
    }
  }

  /// From handing a push over to the end of the work on it.
  private mutating func checkTime(_ journal: JournalFile) {
    guard isEnforced else { return }
    let limit: Int64 = 31_000_000_000
    var serving: (push: Int64, sinceNs: Int64)?
    for record in journal.events(of: "phone") {
      let isOver =
        record.event["serviceFinished"] != nil || record.event["processEnded"]?["_0"]?.text == "extension"
      if let current = serving, record.atNs &- current.sinceNs > limit, !isKilled(record),
        !journal.wasKillingBefore(record)
      {
        find(
          7, "The extension worked on push \(current.push) for more than 30 s and was not killed",
          [record.evidence])
        serving = nil
      }
      if isOver || isKilled(record) { serving = nil }
      for directive in record.directives {
        guard directive["tell"]?["_0"]?.text == "extension",
          let push = directive["tell"]?["_1"]?["push"]?["id"]?.integer
        else { continue }
        serving = (push, record.atNs)
      }
    }
  }

  private func isKilled(_ record: JournalRecord) -> Bool {
    record.directives.contains { $0["kill"]?["_0"]?.text == "extension" }
  }
}

extension JournalFile {
  /// Whether the phone decided that the app in front gets this push.
  func gaveToApp(_ push: Int64) -> Bool {
    events(of: "phone").contains { record in
      record.directives.contains {
        let fate = $0["recordFate"]
        return fate?["push"]?.integer == push && fate?["_1"]?["givenToApp"] != nil
      }
    }
  }

  /// Whether the phone itself stood still: then its timer was late, and not the extension.
  func wasKillingBefore(_ record: JournalRecord) -> Bool {
    records.contains { other in
      other.line < record.line && record.atNs &- other.atNs < 1_000_000_000
        && other.directives.contains { $0["kill"]?["_0"]?.text == "extension" }
    }
  }
}
