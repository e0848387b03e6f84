/// Missing journals, by the claims and the peer's runs that they would show. What only they would show is not judged.
struct MissingJournals {
  /// With `--clean-journals`, and in Bitkit's wallet after each opening, the app removes journals of ended processes
  /// after this time, but never the newest of a program.
  private static let keptNs: Int64 = 7 * 86_400 * 1_000_000_000

  /// Claims whose process has no journal. Without those whose claim another process's journal has: then the row is
  /// wrong.
  private(set) var epochs: Set<Int64> = []
  private(set) var runs: Set<Int64> = []
  /// The same for journals that the app may have removed.
  private(set) var cleanedEpochs: Set<Int64> = []
  private(set) var cleanedRuns: Set<Int64> = []

  private struct Holder: Hashable {
    let role: String
    let pid: Int64
  }

  init(_ evidence: Evidence) {
    let isCleaned = evidence.journals(of: "mainappd").contains {
      $0.arguments.contains("--clean-journals") || $0.isOfTellingWallet
    }
    let now = (evidence.journals.map(\.lastNs) + evidence.wallet.claims.map(evidence.claimedNs)).max() ?? 0
    let limit = isCleaned ? now &- Self.keptNs : .min
    let newest = Dictionary(evidence.journals.map { ($0.process, $0.startedNs) }) { max($0, $1) }
    // The time between two boots of the machine is known by the wall clock alone.
    let wall = (evidence.journals.map(\.lastWallNs) + evidence.wallet.claims.map(\.claimedWallNs)).max() ?? 0
    let wallLimit = wall &- Self.keptNs
    // By the latest sign of the process: a journal grows until its process ends.
    func mayBeCleaned(_ program: String, startedNs: Int64, wallNs: Int64, lastNs: Int64) -> Bool {
      lastNs < limit && wallNs < wallLimit && startedNs < newest[program] ?? .min
    }
    // A pid may be reused: then the later process counts.
    let ends = Dictionary(
      (evidence.phone?.processes ?? []).compactMap { process in
        process.endedNs.map { (Holder(role: process.role, pid: process.pid), $0) }
      }, uniquingKeysWith: max)
    func lastSign(of claim: ClaimEntry) -> Int64 {
      let end = ends[Holder(role: claim.role, pid: claim.pid)]
      return max(evidence.claimedNs(claim), evidence.wallet.sum(of: claim.epoch).lastNs ?? .min, end ?? .min)
    }
    for claim in evidence.wallet.claims where evidence.journal(of: claim) == nil {
      if mayBeCleaned(
        claim.program, startedNs: evidence.claimedNs(claim), wallNs: claim.claimedWallNs,
        lastNs: lastSign(of: claim)
      ) {
        cleanedEpochs.insert(claim.epoch)
      } else if evidence.journal(answeringEpoch: claim.epoch) == nil {
        epochs.insert(claim.epoch)
      }
    }
    let peers = Dictionary(grouping: evidence.journals(of: "lspd"), by: \.pid)
    for run in evidence.ledger.runs
    where !(peers[run.pid] ?? []).contains(where: {
      isNear($0.startedNs, run.startedAtNs, withinNs: stepSlackNs)
    }) {
      if mayBeCleaned("lspd", startedNs: run.startedAtNs, wallNs: run.startedWallNs, lastNs: run.startedAtNs)
      {
        cleanedRuns.insert(run.id)
      } else {
        runs.insert(run.id)
      }
    }
  }

  func hasJournal(ofEpoch epoch: Int64) -> Bool { !epochs.contains(epoch) && !cleanedEpochs.contains(epoch) }
}
