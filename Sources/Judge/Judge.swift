// Judge: reads the files of a run (the peer's ledger of raw frames, the wallet's database, the journals) and reports
// violated invariants. It shares no rule with the judged code: wire layouts, channel rules and the journals' format
// are implemented here a second time. It writes only into a scratch directory of its own.

/// The verdict on one phone's home directory.
public enum Judge {
  /// Reads and judges; the daemons may run. `progress` gets a short text at each step.
  ///
  /// With `requireSettled` a pending payment is a finding. Evidence of the kinds in `without` may be missing; what
  /// exists of it is judged. Each of `others` is a container that the wallet was moved from or to, or the home of
  /// one.
  public static func verdict(
    home: String, others: [String] = [], requireSettled: Bool = false, without: Set<EvidencePart> = [],
    progress: (String) -> Void = { _ in }
  ) throws(JudgeError) -> Verdict {
    var evidence = [try EvidenceCollector(home: home).collect(progress)]
    for path in others {
      let other = try EvidenceCollector(other: path, of: home).collect(progress)
      guard let container = other.wallet.container, evidence[0].moves.otherContainers.contains(container)
      else { throw .noOtherContainer(path: path) }
      // A container named twice counts once.
      guard !evidence.contains(where: { $0.wallet.container == other.wallet.container }) else { continue }
      evidence.append(other)
    }
    let given = Set(evidence.compactMap(\.wallet.container))
    var verdicts: [Verdict] = []
    for var evidence in evidence {
      evidence.givenContainers = given
      var checker = Checker(evidence: evidence, requireSettled: requireSettled, without: without)
      checker.run(progress)
      verdicts.append(checker.verdict)
    }
    return verdicts.dropFirst().reduce(verdicts[0]) { $0.joined(by: $1) }
  }
}
