import Ground

// The promises of a wallet whose extension only notifies: the extension has no node (invariant 9), and no payment is
// told twice at a time (invariant 5).
extension Checker {
  mutating func checkTelling() {
    let periods = TellingPeriods(evidence)
    let extensions = evidence.extensions
    for claim in evidence.wallet.claims where periods.tells(at: evidence.claimedNs(claim)) {
      checkOwner(of: claim, extensions)
    }
    for entry in evidence.ledger.connections where entry.isAccepted { checkOpener(of: entry, periods) }
    checkPreimages(periods)
    for journal in evidence.journals(of: Evidence.tellingExtension)
    where !journal.answeredEpochs.isEmpty || !journal.writesNs.isEmpty {
      find(.extensionUsedNode, journal.pid, at: [.journal(journal.name)])
    }
  }

  // MARK: The owner

  private mutating func checkOwner(of claim: ClaimEntry, _ extensions: [Int64: EvidenceRow]) {
    if claim.role != "app" {
      find(.claimByExtension, claim.epoch, claim.role, at: [claim.row])
    } else if let row = extensions[claim.pid] {
      find(.claimByExtensionProcess, claim.epoch, claim.pid, at: [claim.row, row])
    }
  }

  /// A wallet's connection names the epoch of its owner's claim.
  private mutating func checkOpener(of entry: ConnectionEntry, _ periods: TellingPeriods) {
    guard !isOfOtherContainer(entry), tells(entry, at: entry.openedAtNs, periods) else { return }
    guard let epoch = entry.epoch else { return find(.connectionWithoutEpoch, entry.id, at: [entry.row]) }
    // A missing claim is a finding of invariant 1.
    guard let claim = evidence.wallet.claim(epoch), claim.role != "app" else { return }
    find(.openedByExtension, entry.id, claim.role, epoch, at: [entry.row, claim.row])
  }

  /// A claim counts by its own time: the extension of another wallet may still be connected when iosd starts anew.
  private func tells(_ entry: ConnectionEntry?, at instantNs: Int64, _ periods: TellingPeriods) -> Bool {
    let claim = entry?.epoch.flatMap { evidence.wallet.claim($0) }
    return periods.tells(at: claim.map(evidence.claimedNs) ?? instantNs)
  }

  private mutating func checkPreimages(_ periods: TellingPeriods) {
    for frame in frames {
      guard frame.entry.isIn, frame.entry.isActedOn, case .step(.fulfil(let htlc, _))? = frame.message else {
        continue
      }
      let entry = evidence.ledger.connection(frame.entry.connection)
      if let entry, isOfOtherContainer(entry) { continue }
      guard tells(entry, at: frame.entry.atNs, periods) else { continue }
      let claim = entry?.epoch.flatMap { evidence.wallet.claim($0) }
      guard claim?.role != "app" else { continue }
      find(.preimageByOther, htlc, frame.entry.connection, at: [frame.entry.row])
    }
  }

  // MARK: What the user sees

  /// To the user, two notifications of one payment look like two payments; and an announcement beside the receipt is
  /// untrue. One that comes after the receipt is let pass: the extension cannot know of it.
  mutating func checkToldOnce(_ phone: PhoneEvidence) {
    var announcements: [String: String] = [:]
    for hash in evidence.ledger.paymentsByHash.keys {
      announcements[Self.notificationKey("notification", hash)] = Self.notificationKey("announcement", hash)
    }
    var present: [String: Int64] = [:]
    for change in phone.changes {
      if change.isGone {
        if present[change.key] == change.id { present[change.key] = nil }
        continue
      }
      for key in [change.key, announcements[change.key]].compactMap({ $0 }) {
        // iosd knows only its newest notifications.
        guard let earlier = present[key], change.id &- earlier < 256 else { continue }
        find(.toldTwice, change.id, earlier, at: [.phone("notifications", change.id)])
      }
      present[change.key] = change.id
    }
  }

  private static func notificationKey(_ what: String, _ paymentHash: [UInt8]) -> String {
    Hexadecimal.encode(Secrets.sha256(Array("\(what) of payment ".utf8) + paymentHash))
  }
}

extension Evidence {
  /// The processes of extensions, from iosd's rows and from their journals, by pid.
  fileprivate var extensions: [Int64: EvidenceRow] {
    let processes = phone?.processes ?? []
    let rows =
      processes.filter { $0.role == "extension" }.map { ($0.pid, EvidenceRow.phone("processes", $0.id)) }
      + journals(of: Self.tellingExtension).map { ($0.pid, .journal($0.name)) }
    // A pid may be used again, by the app.
    let ofApp = Set(processes.filter { $0.role == "app" }.map(\.pid))
    return Dictionary(rows.filter { !ofApp.contains($0.0) }) { $1 }
  }
}

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
    let shownOnce = Set(evidence.shownWithoutRow.map(\.push))
    for push in phone.pushes where push.isVisible {
      let count = shown[push.id] ?? 0
      let isOfNow = evidence.certainUntilNs.map { push.atNs > $0 &- Self.servedWithinNs } ?? false
      // The newest journal that had started by then; journals are sorted by start.
      let begun = starts.countOfThose(upTo: push.atNs)
      let mayHaveNone =
        isOfNow || push.isUnwanted || shownOnce.contains(push.id)
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
    guard push.fate == "lost" || push.fate == "held" || isUnderWay else { return false }
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
    var killedNs: Int64?
    func isTooLate(_ atNs: Int64, line: Int) -> Bool {
      // The end may be among missing lines.
      guard let current = serving, !journal.hasGap(fromLine: current.line, to: line) else { return false }
      // The phone may have been paused: then its timer was late, not the extension.
      let isBeingKilled = killedNs.map { atNs &- $0 < 1_000_000_000 } ?? false
      return !isBeingKilled && atNs &- current.sinceNs > 31_000_000_000
    }
    for record in journal.events(of: "phone") {
      let isKilled = isKilled(record)
      if !isKilled, let current = serving, isTooLate(record.atNs, line: record.line) {
        find(.time, current.push, at: [record.row])
        serving = nil
      }
      let isOver =
        record.event["serviceFinished"] != nil || record.event["processEnded"]?["_0"]?.text == "extension"
        // iosd stops the extension as soon as it has the text: often before the extension says that it has finished.
        || record.directives.contains { $0["suspend"]?["_0"]?.text == "extension" }
      if isOver || isKilled { serving = nil }
      if isKilled { killedNs = record.atNs }
      for directive in record.directives where directive["tell"]?["to"]?.text == "extension" {
        if let push = directive["tell"]?["push"]?.integer { serving = (push, record.atNs, record.line) }
      }
    }
    if let current = serving, isTooLate(journal.lastNs, line: .max) {
      find(.time, current.push, at: [.journal(journal.name)])
    }
  }

  private func isKilled(_ record: JournalRecord) -> Bool {
    record.directives.contains { $0["kill"]?["_0"]?.text == "extension" }
  }
}

/// When the home's wallet was one whose extension only notifies: a home can have had both wallets, one after the other.
///
/// A period begins with a start of iosd, which starts the wallet's processes. Within it any one sign is enough, so that
/// taking one away hides nothing: the command line of iosd or of the app, a journal of the extension that only notifies,
/// or the form of the pushes of the peer that ran at the time.
struct TellingPeriods {
  /// The starts of iosd, sorted.
  private let starts: [Int64]
  /// The periods with a sign, by the number of starts before their end.
  private var signed: Set<Int> = []
  private let ledger: LedgerEvidence

  init(_ evidence: Evidence) {
    ledger = evidence.ledger
    starts = evidence.journals(of: "iosd").map(\.startedNs).sorted()
    let tellers = evidence.journals(of: Evidence.tellingExtension)
    let named = ["iosd", "mainappd"].flatMap { evidence.journals(of: $0) }.filter(\.isOfTellingWallet)
    for journal in tellers + named { signed.insert(period(at: journal.startedNs)) }
  }

  func tells(at instantNs: Int64) -> Bool {
    signed.contains(period(at: instantNs)) || ledger.announces(at: instantNs)
  }

  private func period(at instantNs: Int64) -> Int { starts.countOfThose(upTo: instantNs) }
}

extension JournalFile {
  /// The process was started for the wallet whose extension only notifies.
  var isOfTellingWallet: Bool {
    zip(arguments, arguments.dropFirst()).contains { $0 == "--wallet" && KnownWallets.telling.contains($1) }
  }
}

/// What the judge must know of a wallet by its name, as it shares no rule with the programs. A test compares these names
/// with the wallets that Baton has.
enum KnownWallets {
  /// Values of `--wallet` whose extension only notifies.
  static let telling: Set = ["bitkit"]
  /// Forms of pushes with a silent one and an alert for each payment.
  static let announcing: Set = ["bitkit"]
}

extension LedgerEvidence {
  /// The peer that ran then announced each payment.
  func announces(at instantNs: Int64) -> Bool {
    run(at: instantNs).map { KnownWallets.announcing.contains($0.pushForm) } ?? false
  }
}
