/// Why the LSP does not fail the channel on order, or tells the wallet no news of it.
public enum ChannelFailureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case failedBefore
  /// An HTLC or a splice is pending.
  case inUse
  case pushesNoNews

  public var description: String {
    switch self {
    case .failedBefore: "the channel has failed already, and fails once; begin with a new wallet"
    case .inUse: "a payment or a splice is pending in the channel; wait for its end"
    case .pushesNoNews:
      "this wallet is told of payments alone; start a phone with `--wallet bitkit`, without webhooks"
    }
  }
}
