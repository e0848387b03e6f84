// Judge: reads what a run left behind (the peer's ledger of raw frames, the wallet's database, the journals) and says
// whether an invariant broke. It shares no rule with the accused: wire layouts, the channel's rules and the journals'
// format are written here a second time. It may not write anywhere but into a scratch directory of its own.

/// The verdict on one phone's home directory.
public enum Judge {
  /// Reads and judges; the daemons may be up or down. `progress` hears what is being done, in a few words.
  ///
  /// With `requireSettled` a payment that is still on its way is a failure: nothing was given time to finish.
  /// Evidence of the kinds in `without` is not demanded, as there is none; what there is of it is judged all the
  /// same. In each of `others` is a container that the wallet was moved from or to, or the home of one.
  public static func verdict(
    home: String, others: [String] = [], requireSettled: Bool = false, without: Set<EvidencePart> = [],
    progress: (String) -> Void = { _ in }
  ) throws(JudgeError) -> Verdict {
    var evidence = [try EvidenceCollector(home: home).collect(progress)]
    for path in others {
      let other = try EvidenceCollector(other: path, of: home).collect(progress)
      guard let container = other.wallet.container, evidence[0].moves.otherContainers.contains(container)
      else { throw .noOtherContainer(path: path) }
      // One that is named twice counts once.
      guard !evidence.contains(where: { $0.wallet.container == other.wallet.container }) else { continue }
      evidence.append(other)
    }
    let given = Set(evidence.compactMap(\.wallet.container))
    var verdicts: [Verdict] = []
    for var evidence in evidence {
      evidence.givenContainers = given
      var hearing = Hearing(evidence: evidence, requireSettled: requireSettled, without: without)
      hearing.hear(progress)
      verdicts.append(hearing.verdict)
    }
    return verdicts.dropFirst().reduce(verdicts[0]) { $0.joined(by: $1) }
  }
}
