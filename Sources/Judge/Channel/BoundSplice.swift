/// A splice that binds a side, and its messages since.
struct BoundSplice: Hashable {
  enum End: String { case done, forgotten }

  let plan: SplicePlan
  /// Which side has sent `commitment_signed` for the new funding, `tx_signatures`, `splice_locked`.
  var committed = Pair<Bool>(false)
  var signed = Pair<Bool>(false)
  var locked = Pair<Bool>(false)
  /// Which messages the other side has requested again.
  var mayRepeatCommitment = Pair<Bool>(false)
  var mayRepeatSignatures = Pair<Bool>(false)
  /// Its end at the viewer.
  var end: End?

  init(_ plan: SplicePlan) { self.plan = plan }

  /// This side has received `tx_signatures` and `splice_locked`.
  func isDone(at end: ChannelEnd) -> Bool { signed[end.other] && locked[end.other] }

  /// The `state` in the table of this side.
  func stateName(at holder: ChannelEnd) -> String {
    if let end { return end.rawValue }
    if signed[holder.other] { return "signed" }
    return committed[holder.other] ? "committed" : "signing"
  }

  /// Whether the holder may forget it.
  func mayBeForgotten(by holder: ChannelEnd) -> Bool {
    holder == .wallet ? !signed[.peer] : !committed[.wallet]
  }
}
