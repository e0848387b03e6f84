// Judge: reads what a run left behind (the peer's ledger of raw frames, the wallet's database, the journals) and says
// whether an invariant broke. It shares no code with the accused: wire layouts, the channel's rules and the journals'
// format are written here a second time. It may not write anywhere but into a scratch directory of its own.

/// The verdict on one phone's home directory.
public enum Judge {
  /// Reads and judges; the daemons may be up or down. `progress` hears what is being done, in a few words.
  ///
  /// With `requireSettled` a payment that is still on its way is a failure: nothing was given time to finish. Evidence of
  /// the kinds in `without` is not demanded, as there is none; what there is of it is judged all the same.
  public static func verdict(
    home: String, requireSettled: Bool = false, without: Set<EvidencePart> = [],
    progress: (String) -> Void = { _ in }
  ) throws(JudgeError) -> Verdict {
    let evidence = try EvidenceCollector(home: home).collect(progress)
    var hearing = Hearing(evidence: evidence, requireSettled: requireSettled, without: without)
    if let epoch = hearing.movedHereUnder { throw .movedHere(epoch: epoch) }
    hearing.hear(progress)
    return hearing.verdict
  }
}
