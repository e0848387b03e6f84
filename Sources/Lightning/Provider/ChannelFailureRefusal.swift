/// Why the LSP does not fail the channel on order.
public enum ChannelFailureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case failedBefore
  /// An HTLC or a splice is pending.
  case inUse

  public var description: String {
    switch self {
    case .failedBefore: "the channel has failed already, and fails once; begin with a new wallet"
    case .inUse: "a payment or a splice is pending in the channel; wait for its end"
    }
  }
}
