import Ground

/// What a message from the other side made true. Each is said once in the life of a durable channel, except
/// `reestablished` and `revoked`.
public enum ChannelFact: Hashable, Codable, Sendable {
  /// Both ends know how far the other has come; work goes on.
  case reestablished
  /// An incoming HTLC is irrevocably committed: it may be fulfilled or failed now.
  case committed(HTLC)
  /// An HTLC offered here is paid. Said when the fulfilment is signed for, not at the bare update: an update that
  /// no commitment covers is forgotten with the connection.
  case fulfilled(HTLC, preimage: Bytes32)
  /// An HTLC offered here is refused, and that is signed for.
  case failed(HTLC, code: UInt16)
  /// An HTLC is over on both sides: for the side that removed it with the revocation that is due next, for the
  /// side that offered it with the revocation that just came.
  case settled(HTLC)
  /// The other side gave up its previous commitment.
  case revoked
  /// What was being agreed on leads to nothing, and why. Nothing has moved.
  case spliceGivenUp(String)
}
