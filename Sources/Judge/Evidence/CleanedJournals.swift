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
    let now = (evidence.journals.map(\.lastNs) + evidence.wallet.claims.map(\.bootNs)).max() ?? 0
    epochs = Self.epochs(evidence, endedBefore: now &- Self.keptNs)
    runs = Self.runs(evidence.ledger, evidence.journals(of: "lspd"), endedBefore: now &- Self.keptNs)
  }

  private struct Writer: Hashable {
    let pid: Int64
    let startTime: Int64

    init(_ claim: ClaimEntry) {
      pid = claim.pid
      startTime = claim.startTime
    }
  }

  private static func epochs(_ evidence: Evidence, endedBefore limit: Int64) -> Set<Int64> {
    let claims = evidence.wallet.claims
    var lastSigns: [Writer: Int64] = [:]
    var writers: [Int64: Writer] = [:]
    for claim in claims {
      let writer = Writer(claim)
      writers[claim.epoch] = writer
      lastSigns[writer] = max(lastSigns[writer] ?? .min, claim.bootNs)
    }
    for write in evidence.wallet.writes {
      guard let writer = writers[write.epoch] else { continue }
      lastSigns[writer] = max(lastSigns[writer] ?? .min, write.atNs)
    }
    let newest = Dictionary(
      uniqueKeysWithValues: Evidence.wallets.map { program in
        (program, evidence.journals(of: program).map(\.startedNs).max() ?? .min)
      })
    let gone = claims.filter { claim in
      let lastSign = lastSigns[Writer(claim)] ?? .max
      return lastSign < limit && evidence.journal(of: claim) == nil
        && newest[claim.program] ?? .min > lastSign
    }
    return Set(gone.map(\.epoch))
  }

  private static func runs(
    _ ledger: LedgerEvidence, _ journals: [JournalFile], endedBefore limit: Int64
  ) -> Set<Int64> {
    var lastSteps: [Int64: Int64] = [:]
    for frame in ledger.frames {
      guard let run = ledger.run(at: frame.entry.atNs) else { continue }
      lastSteps[run.id] = max(lastSteps[run.id] ?? .min, frame.entry.atNs)
    }
    let byPid = Dictionary(grouping: journals, by: \.pid)
    let newest = journals.map(\.startedNs).max() ?? .min
    let gone = ledger.runs.filter { run in
      let isThere = (byPid[run.pid] ?? []).contains {
        isNear($0.startedNs, run.startedNs, withinNs: stepSlackNs)
      }
      return !isThere && max(run.startedNs, lastSteps[run.id] ?? 0) < limit && newest > run.startedNs
    }
    return Set(gone.map(\.id))
  }
}
