/// Which journals the app may have taken away itself: with `--clean-journals` it removes those of ended processes that
/// nobody has written to for a week, but never the newest of a program. What they would tell nobody knows; everything else
/// that is missing was taken by somebody else.
struct CleanedJournals {
  private static let keptNs: Int64 = 7 * 86_400 * 1_000_000_000

  /// Claims of wallet processes whose journals are gone that way.
  let epochs: Set<Int64>
  /// Of the peer.
  let runs: Set<Int64>

  init(_ evidence: Evidence) {
    let isWanted = evidence.journals(of: "mainappd").contains { $0.arguments.contains("--clean-journals") }
    guard isWanted else {
      epochs = []
      runs = []
      return
    }
    let told = evidence.journals.compactMap { $0.records.last?.atNs }
    let now = (told + evidence.wallet.claims.map(\.bootNs)).max() ?? 0
    epochs = Self.epochs(evidence, endedBefore: now &- Self.keptNs)
    runs = Self.runs(evidence.ledger, evidence.journals(of: "lspd"), endedBefore: now &- Self.keptNs)
  }

  private static func epochs(_ evidence: Evidence, endedBefore limit: Int64) -> Set<Int64> {
    let wallet = evidence.wallet
    let gone = wallet.claims.filter { claim in
      let epochs = wallet.claims.filter { $0.pid == claim.pid && $0.startTime == claim.startTime }
      let steps = wallet.writes.filter { write in epochs.contains { $0.epoch == write.epoch } }
      let lastSign = (epochs.map(\.bootNs) + steps.map(\.atNs)).max() ?? .max
      let program = claim.role == "app" ? "mainappd" : "notifyextd"
      return lastSign < limit && evidence.journal(of: claim) == nil
        && evidence.journals(of: program).contains { $0.startedNs > lastSign }
    }
    return Set(gone.map(\.epoch))
  }

  private static func runs(
    _ ledger: LedgerEvidence, _ journals: [JournalFile], endedBefore limit: Int64
  ) -> Set<Int64> {
    var gone: Set<Int64> = []
    for (index, run) in ledger.runs.enumerated() {
      let next = index + 1 < ledger.runs.count ? ledger.runs[index + 1].startedNs : Int64.max
      let steps = ledger.frames.map(\.atNs).filter { $0 >= run.startedNs && $0 < next }
      let isThere = journals.contains {
        $0.pid == run.pid && isNear($0.startedNs, run.startedNs, withinNs: stepSlackNs)
      }
      if !isThere, max(run.startedNs, steps.max() ?? 0) < limit,
        journals.contains(where: { $0.startedNs > run.startedNs })
      {
        gone.insert(run.id)
      }
    }
    return gone
  }

  /// Whether what the peer did at this instant stood in a journal that is gone.
  func hadPeersStep(atNs instant: Int64?, _ ledger: LedgerEvidence) -> Bool {
    guard let instant, let run = ledger.runs.last(where: { $0.startedNs <= instant }) else { return false }
    return runs.contains(run.id)
  }
}
