/// Journals that end before their process did, without the last line that says it ended: a full disk refused lines, or
/// someone has cut them off. What they would show is not judged.
struct EarlyEnds {
  private(set) var all: [(process: String, sentence: String)] = []

  /// Marks these journals.
  init(
    _ journals: inout [JournalFile], _ wallet: WalletEvidence,
    _ ledger: LedgerEvidence, _ phone: PhoneEvidence?,
    isCertain: (Int64) -> Bool
  ) {
    let claims = Dictionary(grouping: wallet.claims) { Process(pid: $0.pid, startTime: $0.startTime) }
    let ends = Dictionary(
      (phone?.processes ?? []).compactMap { row in
        row.startTime.map { (Process(pid: row.pid, startTime: $0), row) }
      }, uniquingKeysWith: { $1 })
    for place in journals.indices where !journals[place].hasEnded {
      let journal = journals[place]
      let process = Process(pid: journal.pid, startTime: journal.startTime)
      let missing: String? =
        switch journal.process {
        case "lspd": Self.missingFrames(of: journal, ledger)
        case "iosd": nil
        default:
          Self.missing(of: (claims[process] ?? []).filter { $0.boot == journal.boot }, in: journal, wallet)
            ?? ends[process].flatMap { row in
              row.how == "exited" && row.number == 0 && (row.endedNs.map(isCertain) ?? true)
                ? "the end of its process, which exited" : nil
            }
        }
      guard let missing, journals[place].endTooEarly() else { continue }
      all.append((journal.process, "\(journal.name) ends before \(missing): its last lines are missing"))
    }
  }

  /// lspd writes the line of an event when its frames are durable, so that a kill leaves the lines of one commit out.
  private static func missingFrames(of journal: JournalFile, _ ledger: LedgerEvidence) -> String? {
    let starts = ledger.runs.map(\.startedAtNs)
    let place = starts.countOfThose(upTo: journal.startedNs &+ stepSlackNs)
    guard place > 0, ledger.runs[place - 1].pid == journal.pid else { return nil }
    let endNs = place < starts.count ? starts[place] : .max
    let last = ledger.frames.last { $0.entry.atNs < endNs }
    return (last?.entry.atNs).flatMap {
      $0 > journal.lastNs &+ stepSlackNs ? "the last frames of its run" : nil
    }
  }

  private struct Process: Hashable {
    let pid: Int64
    let startTime: Int64
  }

  /// A process writes the line of a claim or write first: only that of the answer may be missing after a kill.
  private static func missing(
    of claims: [ClaimEntry], in journal: JournalFile, _ wallet: WalletEvidence
  ) -> String? {
    let sums = claims.map { wallet.sum(of: $0.epoch) }
    let writes = sums.reduce(Int64(0)) { $0 &+ $1.count }
    if journal.announcedWrites(upTo: .max) < writes, sums.compactMap(\.lastNs).max() ?? .min > journal.lastNs
    {
      return "the last writes of its process"
    }
    let claim = claims.first {
      $0.claimedWallNs > journal.lastWallNs && !ClaimMoment.isOrdered($0, in: journal)
    }
    return claim.map { "the claim of epoch \($0.epoch)" }
  }
}
