/// What became of a connection's `init`.
public enum ConnectionVerdict: String, Hashable, Codable, Sendable, CaseIterable {
  case accepted = "accepted"
  /// Accepted without a look at epochs: the wallet sent none, or the peer does not know them.
  case unfenced = "unfenced"
  /// Another node than the one that the channel is with.
  case visitor = "visitor"
  /// It shows no claim, where one is known.
  case refusedWithoutFence = "refused-without-fence"
  case refusedLowerEpoch = "refused-lower-epoch"
  /// The same number under another incarnation: two owners share it.
  case refusedOtherIncarnation = "refused-other-incarnation"
  case refusedOtherContainer = "refused-other-container"
}
