/// A splice that an end is bound to, and what has been said of it since.
struct SpliceDeal: Hashable {
  enum End: String { case done, forgotten }

  let plan: SplicePlan
  /// Who has said so: `commitment_signed` for the new funding, `tx_signatures`, `splice_locked`.
  var committed = Pair<Bool>(false)
  var signed = Pair<Bool>(false)
  var locked = Pair<Bool>(false)
  /// What the other end has asked to hear again.
  var mayRepeatCommitment = Pair<Bool>(false)
  var mayRepeatSignatures = Pair<Bool>(false)
  /// At the end whose view this is.
  var end: End?

  init(_ plan: SplicePlan) { self.plan = plan }

  /// The other end has said all that this one needs.
  func isDone(at end: ChannelEnd) -> Bool { signed[end.other] && locked[end.other] }

  /// The word in an end's own table.
  func stateName(at holder: ChannelEnd) -> String {
    if let end { return end.rawValue }
    if signed[holder.other] { return "signed" }
    return committed[holder.other] ? "committed" : "signing"
  }

  /// Whether the holder may take it for never agreed on.
  func mayBeForgotten(by holder: ChannelEnd) -> Bool {
    holder == .wallet ? !signed[.peer] : !committed[.wallet]
  }
}
