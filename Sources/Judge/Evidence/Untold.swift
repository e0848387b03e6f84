/// What the journals cannot tell: those of some processes were cleaned away or are missing, others lack lines. Nothing
/// that they alone would tell is demanded.
struct Untold {
  let cleaned: CleanedJournals
  /// Claims of processes whose journals should be there. An epoch that the journal of another process tells of is not one
  /// of them: then the row is wrong.
  let missingEpochs: Set<Int64>
  /// Runs of the peer whose journals should be there. While there is a journal that is of no run, none is.
  let missingRuns: Set<Int64>
  /// What writes did that no line announces, as it may be lost.
  private let sums: [Int64: WriteSums]
  /// How many invoices there may be that no line makes. A backup brings any number.
  let invoices: Int

  init(_ evidence: Evidence) {
    let cleaned = CleanedJournals(evidence)
    let missing = evidence.wallet.claims.filter { claim in
      !cleaned.epochs.contains(claim.epoch) && evidence.journal(of: claim) == nil
        && evidence.journal(answeringEpoch: claim.epoch) == nil
    }
    let epochs = Set(missing.map(\.epoch))
    self.cleaned = cleaned
    missingEpochs = epochs
    missingRuns = Self.missingRuns(evidence, cleaned)
    var sums: [Int64: WriteSums] = [:]
    var ofEpochs = WriteSums()
    var ofGaps = WriteSums()
    for write in evidence.wallet.writes {
      let journal = evidence.wallet.claim(write.epoch).flatMap(evidence.journal(of:))
      let isGone = epochs.contains(write.epoch) || cleaned.epochs.contains(write.epoch)
      guard isGone || journal?.mayLack(write.atNs) == true else { continue }
      sums[write.epoch, default: WriteSums()].add(write)
      if isGone { ofEpochs.add(write) } else { ofGaps.add(write) }
    }
    self.sums = sums
    // A line makes one invoice.
    let lines = Evidence.wallets.flatMap(evidence.journals(of:)).reduce(Int64(0)) { $0 &+ $1.missingLines }
    let isRestored = ofEpochs.isRestored || ofGaps.isRestored
    invoices = isRestored ? .max : ofEpochs.invoices + min(ofGaps.invoices, Int(clamping: lines))
  }

  private static func missingRuns(_ evidence: Evidence, _ cleaned: CleanedJournals) -> Set<Int64> {
    let journals = evidence.journals(of: "lspd")
    let byPid = Dictionary(grouping: journals, by: \.pid)
    var matched: Set<String> = []
    var unmatched: Set<Int64> = []
    for run in evidence.ledger.runs {
      if let journal = (byPid[run.pid] ?? []).first(where: { $0.isOf(run) }) {
        matched.insert(journal.name)
      } else if !cleaned.runs.contains(run.id) {
        unmatched.insert(run.id)
      }
    }
    let hasSpare = journals.contains { !matched.contains($0.name) && !$0.configurations(of: "peer").isEmpty }
    return hasSpare ? [] : unmatched
  }

  func isUntold(epoch: Int64) -> Bool { missingEpochs.contains(epoch) || cleaned.epochs.contains(epoch) }

  /// What writes of this epoch did that no line announces.
  func sum(of epoch: Int64) -> WriteSums { sums[epoch] ?? WriteSums() }

  var hasPeersRuns: Bool { !cleaned.runs.isEmpty || !missingRuns.isEmpty }

  /// Whether what the peer did at this instant stood in a journal that is not there.
  func hadPeersStep(atNs instant: Int64?, _ ledger: LedgerEvidence) -> Bool {
    guard hasPeersRuns, let instant, let run = ledger.run(at: instant) else { return false }
    return cleaned.runs.contains(run.id) || missingRuns.contains(run.id)
  }
}

extension JournalFile {
  /// Whether this run of the peer wrote it.
  func isOf(_ run: RunEntry) -> Bool {
    pid == run.pid && startedNs <= run.startedNs && isNear(startedNs, run.startedNs, withinNs: stepSlackNs)
      && isNear(start.wallNs, run.startedWallNs, withinNs: stepSlackNs)
  }
}

extension ClaimEntry {
  var program: String { role == "app" ? "mainappd" : "notifyextd" }
}
