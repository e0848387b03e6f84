/// Journals that are not there, by the claims and by the runs of the peer of which they would tell. Nothing that they alone
/// would tell is demanded.
struct MissingJournals {
  /// With `--clean-journals` the app removes journals of ended processes after this time, but never the newest of a program.
  private static let keptNs: Int64 = 7 * 86_400 * 1_000_000_000

  /// Claims of processes whose journals should be there. An epoch that the journal of another process tells of is not one
  /// of them: then the row is wrong.
  private(set) var epochs: Set<Int64> = []
  private(set) var runs: Set<Int64> = []
  /// The same of journals that the app may have removed.
  private(set) var cleanedEpochs: Set<Int64> = []
  private(set) var cleanedRuns: Set<Int64> = []

  init(_ evidence: Evidence) {
    let isCleaned = evidence.journals(of: "mainappd").contains { $0.arguments.contains("--clean-journals") }
    let now = (evidence.journals.map(\.lastNs) + evidence.wallet.claims.map(\.bootNs)).max() ?? 0
    let limit = isCleaned ? now &- Self.keptNs : .min
    let newest = Dictionary(evidence.journals.map { ($0.process, $0.startedNs) }) { max($0, $1) }
    func mayBeCleaned(_ program: String, _ atNs: Int64) -> Bool {
      atNs < limit && atNs < newest[program] ?? .min
    }
    for claim in evidence.wallet.claims where evidence.journal(of: claim) == nil {
      if mayBeCleaned(claim.program, Self.lastSign(of: claim, in: evidence)) {
        cleanedEpochs.insert(claim.epoch)
      } else if evidence.journal(answeringEpoch: claim.epoch) == nil {
        epochs.insert(claim.epoch)
      }
    }
    let peers = Dictionary(grouping: evidence.journals(of: "lspd"), by: \.pid)
    for run in evidence.ledger.runs
    where !(peers[run.pid] ?? []).contains(where: {
      isNear($0.startedNs, run.startedNs, withinNs: stepSlackNs)
    }) {
      if mayBeCleaned("lspd", run.startedNs) { cleanedRuns.insert(run.id) } else { runs.insert(run.id) }
    }
  }

  /// Of the process that claimed, by what it wrote and by when the phone saw it end: its journal's last line was not before.
  private static func lastSign(of claim: ClaimEntry, in evidence: Evidence) -> Int64 {
    let lives = evidence.phone?.processes.filter { process in
      guard process.pid == claim.pid, let startedNs = process.startedNs else { return false }
      return startedNs <= claim.bootNs && claim.bootNs <= process.endedNs ?? .max
    }
    let lastWrite = evidence.wallet.sum(of: claim.epoch).lastNs
    return ([claim.bootNs, lastWrite] + (lives ?? []).map(\.endedNs)).compactMap { $0 }.max() ?? claim.bootNs
  }

  func hasJournal(ofEpoch epoch: Int64) -> Bool { !epochs.contains(epoch) && !cleanedEpochs.contains(epoch) }
}

extension ClaimEntry {
  var program: String { role == "app" ? "mainappd" : "notifyextd" }
}
