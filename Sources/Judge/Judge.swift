// Judge: reads the files of a run (the peer's ledger of raw frames, the wallet's database, the journals) and reports
// violated invariants. It shares no rule with the judged code: wire layouts, channel rules and the journals' format
// are implemented here a second time. It writes only into a scratch directory of its own.

/// The verdict on one phone's home directory.
public enum Judge {
  /// Reads and judges; the daemons may run. `progress` gets a short text at each step.
  ///
  /// Each wallet of the peer's ledger is judged by itself: the phone's by all of its evidence, the others by the
  /// ledger. `peersHome`: the phone has no peer of its own; that of this home serves its wallet.
  ///
  /// With `requireSettled` a pending payment is a finding. Evidence of the kinds in `without` may be missing; what
  /// exists of it is judged. Each of `others` is a container that the wallet was moved from or to, or the home of
  /// one.
  public static func verdict(
    home: String, peersHome: String? = nil, others: [String] = [], requireSettled: Bool = false,
    without: Set<EvidencePart> = [], progress: (String) -> Void = { _ in }
  ) throws(JudgeError) -> Verdict {
    var evidence = [try EvidenceCollector(home: home, peersHome: peersHome).collect(progress)]
    for path in others {
      let other = try EvidenceCollector(other: path, of: home).collect(progress)
      guard let container = other.wallet.container, evidence[0].moves.otherContainers.contains(container)
      else { throw .noOtherContainer(path: path) }
      // A container named twice counts once.
      guard !evidence.contains(where: { $0.wallet.container == other.wallet.container }) else { continue }
      evidence.append(other)
    }
    let own = evidence[0]
    let given = Set(evidence.compactMap(\.wallet.container))
    var verdicts: [Verdict] = []
    for var evidence in evidence {
      evidence.givenContainers = given
      var checker = Checker(evidence: evidence, requireSettled: requireSettled, without: without)
      checker.run(progress)
      verdicts.append(checker.verdict)
    }
    let verdict = verdicts.dropFirst().reduce(verdicts[0]) { $0.joined(by: $1) }
    return peersHome == nil
      ? try judgeOthers(of: own, requireSettled: requireSettled, joining: verdict, progress) : verdict
  }

  /// One after the other: the frames of all would not fit into memory.
  private static func judgeOthers(
    of own: Evidence, requireSettled: Bool, joining verdict: Verdict, _ progress: (String) -> Void
  ) throws(JudgeError) -> Verdict {
    var verdict = verdict
    for other in own.ledger.wallets where other.id != own.ledger.wallet {
      progress("checking wallet \(other.id)")
      let evidence = try own.otherWallet(other.id)
      // A wallet that was named and never came.
      guard !evidence.ledger.channels.isEmpty || !evidence.ledger.connections.isEmpty else { continue }
      var checker = Checker(evidence: evidence, requireSettled: requireSettled)
      checker.runOnLedger()
      verdict = verdict.joined(by: checker, ofWallet: other.id)
    }
    guard own.ledgerFile?.isOfOneMoment ?? true else { throw .unstable(home: own.home) }
    return verdict
  }
}

/// How many of the announced payments were received soon, from the peer's ledger: it knows when each push reached the
/// phone, and when its sender got the preimage.
public struct AnnouncedPayments: Hashable, Sendable {
  /// Payments with a delivered push; the parts of one payment are one.
  public let count: Int
  /// Those that were received within the bound of one of their pushes.
  public let receivedInTime: Int

  struct Row: Decodable {
    let count: Int64
    let receivedInTime: Int64
  }

  /// Nil without a ledger.
  public init?(home: String, boundNs: Int64) throws(JudgeError) {
    guard let row = try EvidenceCollector(home: home).announcedPayments(boundNs: boundNs) else { return nil }
    count = Int(row.count)
    receivedInTime = Int(row.receivedInTime)
  }
}
