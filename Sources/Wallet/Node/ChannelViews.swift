// Properties of a channel that only the wallet's node needs.

import Ground
import Lightning

extension Channel {
  /// Whether the removal of an HTLC is pending, from `update_fulfill_htlc` or `update_fail_htlc` to the last
  /// `revoke_and_ack`: a takeover should wait for its end.
  var isSettling: Bool { htlcs.contains { $0.removal != nil } }

  /// The payments of HTLCs that the peer has offered, and that are neither fulfilled nor failed.
  var arriving: Set<Bytes32> {
    Set(htlcs.filter { $0.direction == .received && $0.removal == nil }.map(\.paymentHash))
  }

  package func isNewer(than other: Channel?) -> Bool {
    guard let other else { return true }
    return id == other.id && revision > other.revision
  }
}

extension ChannelReestablish {
  /// The channel is as it was opened: the peer has signed and revoked nothing, and knows no splice, which the
  /// commitment numbers do not show.
  var isOfNewChannel: Bool {
    nextCommitmentNumber == 1 && nextRevocationNumber == 0 && nextFunding == nil
      && (fundingLocked.map { $0.transaction.hash == channel } ?? true)
  }
}
