/// How a splice ended to which this side was bound.
public enum SpliceEnd: String, Hashable, Codable, Sendable, CaseIterable {
  /// The transaction is broadcast, and the channel uses the new funding.
  case done = "done"
  /// The other side has forgotten the splice before this side had signed the transaction: nothing has changed.
  case forgotten = "forgotten"
  /// The wallet was restored from its peer's backup, which does not have the splice.
  case lost = "lost"
}
