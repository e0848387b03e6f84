import Ground

/// The effect of a message from the other side. Each is returned once in the life of a durable channel, except
/// `reestablished` and `revoked`.
public enum ChannelFact: Hashable, Codable, Sendable {
  /// Both ends have exchanged `channel_reestablish`.
  case reestablished
  /// An incoming HTLC is irrevocably committed: it may be fulfilled or failed now.
  case committed(HTLC)
  /// An HTLC of this side is fulfilled. Returned for the `commitment_signed`, not for the update: an uncommitted
  /// update is forgotten with the connection.
  case fulfilled(HTLC, preimage: Bytes32)
  /// An HTLC of this side has failed, by a `commitment_signed` that covers the update.
  case failed(HTLC, code: UInt16)
  /// An HTLC is removed on both sides: for its recipient with the revocation that is due next, for its sender with
  /// the revocation just received.
  case settled(HTLC)
  /// The other side has revoked its previous commitment.
  case revoked
  /// A splice negotiation failed, with the reason. The balances are unchanged.
  case spliceGivenUp(String)
}
