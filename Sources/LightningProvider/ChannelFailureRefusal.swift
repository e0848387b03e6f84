/// Why the LSP does not fail the channel on order, or does not announce an order, a close or an opening payment.
public enum ChannelFailureRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  case failedBefore
  /// An HTLC or a splice is pending.
  case inUse
  case pushesOnlyPayments

  public var description: String {
    switch self {
    case .failedBefore: "the channel has failed already, and fails once; begin with a new wallet"
    case .inUse: "a payment or a splice is pending in the channel; wait for its end"
    case .pushesOnlyPayments:
      "the peer pushes only payments to this wallet; start a phone with `--wallet bitkit`, without webhooks"
    }
  }
}
