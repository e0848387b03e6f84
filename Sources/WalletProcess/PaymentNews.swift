import Ground

/// What became of a payment of the wallet's own.
enum PaymentNews {
  /// The node goes on from what is in the channel.
  case started(pending: [Bytes32])
  case offered(Bytes32)
  case refused(Bytes32, String)
  case ended(Bytes32)
}
