// The promises of a wallet whose extension only tells: the extension has no node (invariant 9), and each payment that
// waits for the wallet is announced by a silent push and an alert (invariant 5).
extension Checker {
  mutating func checkTelling() {
    checkAnnouncements()
    let periods = TellingPeriods(evidence)
    let extensions = ExtensionProcesses(evidence)
    for claim in evidence.wallet.claims where periods.tells(at: claim.bootNs) {
      checkOwner(of: claim, extensions)
    }
    for entry in evidence.ledger.connections where entry.isAccepted { checkOpener(of: entry, periods) }
    checkPreimages(periods)
    for journal in evidence.journals(of: Evidence.tellingExtension)
    where !journal.answeredEpochs.isEmpty || !journal.writesNs.isEmpty {
      find(9, "The extension's process \(journal.pid) used the node", ["journal \(journal.name)"])
    }
  }

  // MARK: The owner

  private mutating func checkOwner(of claim: ClaimEntry, _ extensions: ExtensionProcesses) {
    if claim.role != "app" {
      find(9, "Epoch \(claim.epoch) was claimed by the \(claim.role)", [claim.evidence])
    } else if let row = extensions.row(of: claim) {
      find(
        9, "Epoch \(claim.epoch) was claimed by process \(claim.pid), which is an extension",
        [claim.evidence, row])
    }
  }

  /// A wallet's connection names the epoch of its owner's claim.
  private mutating func checkOpener(of entry: ConnectionEntry, _ periods: TellingPeriods) {
    guard !isOfOtherContainer(entry), tells(entry, at: entry.openedNs, periods) else { return }
    guard let epoch = entry.epoch else {
      return find(
        9, "Connection \(entry.id) names no epoch: nothing shows that the app opened it", [entry.evidence])
    }
    // A missing claim is a finding of invariant 1.
    guard let claim = evidence.wallet.claim(epoch), claim.role != "app" else { return }
    find(
      9, "Connection \(entry.id) was opened by the \(claim.role), under epoch \(epoch)",
      [entry.evidence, claim.evidence])
  }

  /// A claim counts by its own time: the extension of another wallet may still be connected when iosd starts anew.
  private func tells(_ entry: ConnectionEntry?, at instantNs: Int64, _ periods: TellingPeriods) -> Bool {
    periods.tells(at: entry?.epoch.flatMap { evidence.wallet.claim($0) }?.bootNs ?? instantNs)
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
      find(
        9,
        "The preimage of HTLC \(htlc) came over connection \(frame.entry.connection), which no claim of the app opened",
        [frame.entry.evidence])
    }
  }

  // MARK: The announcements

  private mutating func checkAnnouncements() {
    let pushes = evidence.ledger.pushes
    for (place, push) in pushes.enumerated() where push.payment != nil && push.isAlert {
      let before = place > 0 ? pushes[place - 1] : nil
      if before?.payment != push.payment || before?.isAlert != false || before?.id != push.id &- 1 {
        find(5, "Push \(push.id) is an alert without a silent push before it", [push.evidence])
      }
    }
    let presence = Presence(evidence.ledger.connections)
    let alerts = pushes.index { $0.isAlert ? $0.paymentHash : nil }
    // One pair serves the parts of a payment that come within this time.
    let sharedNs: Int64 = 30_000_000_000
    for payment in evidence.ledger.payments {
      guard payment.heldNs != nil, evidence.ledger.announces(at: payment.requestedNs),
        !presence.isConnected(at: payment.requestedNs)
      else { continue }
      let earliest = payment.requestedNs &- sharedNs
      if !alerts.all(payment.paymentHash).contains(where: { $0.atNs >= earliest }) {
        find(
          5, "Payment \(payment.id) waited for the wallet, and the peer requested no alert for it",
          [payment.evidence])
      }
    }
  }
}

/// The processes of extensions, from iosd's rows and from their journals.
private struct ExtensionProcesses {
  private let rows: [Int64: String]

  init(_ evidence: Evidence) {
    let processes = evidence.phone?.processes ?? []
    // A pid may be used again, by the app.
    let ofApp = Set(processes.filter { $0.role == "app" }.map(\.pid))
    var rows: [Int64: String] = [:]
    for process in processes where process.role == "extension" && !ofApp.contains(process.pid) {
      rows[process.pid] = "os/processes.jsonl \(process.id)"
    }
    for journal in evidence.journals(of: Evidence.tellingExtension) where !ofApp.contains(journal.pid) {
      rows[journal.pid] = "journal \(journal.name)"
    }
    self.rows = rows
  }

  func row(of claim: ClaimEntry) -> String? { rows[claim.pid] }
}

/// When the wallet was connected, from the peer's accepted connections.
private struct Presence {
  private let spans: [(from: Int64, to: Int64)]
  private let begins: [Int64]
  /// The latest end of the spans up to each one.
  private var latestEnds: [Int64] = []

  init(_ connections: Rows<ConnectionEntry>) {
    spans = connections.filter(\.isAccepted).compactMap { entry in
      entry.judgedNs.map { (from: $0, to: entry.closedNs ?? .max) }
    }.sorted { $0.from < $1.from }
    begins = spans.map(\.from)
    var latest = Int64.min
    for span in spans {
      latest = max(latest, span.to)
      latestEnds.append(latest)
    }
  }

  func isConnected(at instantNs: Int64) -> Bool {
    let count = begins.countOfThose(upTo: instantNs)
    return count > 0 && latestEnds[count - 1] >= instantNs
  }
}
