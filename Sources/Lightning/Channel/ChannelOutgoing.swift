import Ground

/// A message to send once its channel is durable.
public enum ChannelOutgoing: Hashable, Codable, Sendable {
  case message(Message)
  /// `update_fulfill_htlc` without its preimage, which `Channel.fulfilMessage` adds before encoding: the preimage
  /// must be in no journal and no state before the payment is settled.
  case fulfill(id: UInt64, paymentHash: Bytes32)
}
