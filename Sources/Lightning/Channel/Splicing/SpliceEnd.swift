/// How a splice ended that this side was bound to.
public enum SpliceEnd: String, Hashable, Codable, Sendable, CaseIterable {
  /// The transaction is out, and the channel stands in the new funding.
  case done = "done"
  /// The other side did not know it any more, and nothing was signed: it is as if it had never been.
  case forgotten = "forgotten"
  /// The wallet's database was older than its peer's backup, and that one says nothing of it.
  case lost = "lost"
}
