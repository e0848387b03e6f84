import Ground
import LightningWire

/// Something to be sent, once the channel it comes from is durable.
public enum ChannelOutgoing: Hashable, Codable, Sendable {
  case message(Message)
  /// `update_fulfill_htlc`, without its preimage: that is filled in where bytes are made
  /// (`Channel.fulfilMessage`), so that it stands in no journal and no state before the payment is settled.
  case fulfill(id: UInt64, paymentHash: Bytes32)
}
