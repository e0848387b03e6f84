/// The LSP's decision on a connection's `init`.
public enum ConnectionVerdict: String, Hashable, Codable, Sendable, CaseIterable {
  case accepted = "accepted"
  /// Accepted without comparing epochs: the wallet sent no fence, or the LSP is configured not to know fences.
  case unfenced = "unfenced"
  /// An unknown node: the channel is with another one.
  case visitor = "visitor"
  /// `init` carries no fence, and this node is fenced.
  case refusedWithoutFence = "refused-without-fence"
  case refusedLowerEpoch = "refused-lower-epoch"
  /// The same epoch with another incarnation: two owners have it.
  case refusedOtherIncarnation = "refused-other-incarnation"
  case refusedOtherContainer = "refused-other-container"
}
