import Ground

// The promises of a wallet whose extension only notifies: the extension has no node (invariant 9), and no payment is
// told twice at a time (invariant 5).
extension Checker {
  mutating func checkTelling() {
    let periods = TellingPeriods(evidence)
    let extensions = ExtensionProcesses(evidence)
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

  private mutating func checkOwner(of claim: ClaimEntry, _ extensions: ExtensionProcesses) {
    if claim.role != "app" {
      find(.claimByExtension, claim.epoch, claim.role, at: [claim.row])
    } else if let row = extensions.row(of: claim) {
      find(.claimByExtensionProcess, claim.epoch, claim.pid, at: [claim.row, row])
    }
  }

  /// A wallet's connection names the epoch of its owner's claim.
  private mutating func checkOpener(of entry: ConnectionEntry, _ periods: TellingPeriods) {
    guard !isOfOtherContainer(entry), tells(entry, at: entry.openedAtNs, periods) else { return }
    guard let epoch = entry.epoch else {
      return find(.connectionWithoutEpoch, entry.id, at: [entry.row])
    }
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

/// The processes of extensions, from iosd's rows and from their journals.
private struct ExtensionProcesses {
  private let rows: [Int64: EvidenceRow]

  init(_ evidence: Evidence) {
    let processes = evidence.phone?.processes ?? []
    // A pid may be used again, by the app.
    let ofApp = Set(processes.filter { $0.role == "app" }.map(\.pid))
    var rows: [Int64: EvidenceRow] = [:]
    for process in processes where process.role == "extension" && !ofApp.contains(process.pid) {
      rows[process.pid] = .phone("processes", process.id)
    }
    for journal in evidence.journals(of: Evidence.tellingExtension) where !ofApp.contains(journal.pid) {
      rows[journal.pid] = .journal(journal.name)
    }
    self.rows = rows
  }

  func row(of claim: ClaimEntry) -> EvidenceRow? { rows[claim.pid] }
}
