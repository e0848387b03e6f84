// What the wallet's node asks of a channel.

import LightningWire
import LightningChannel

extension Channel {
  /// Whether a payment is half-way through its removal: between the preimage (or the refusal) and its last
  /// acknowledgement nobody should cut in without need.
  var isSettling: Bool { htlcs.contains { $0.removal != nil } }

  func isNewer(than other: Channel?) -> Bool {
    guard let other else { return true }
    return id == other.id && revision > other.revision
  }
}

extension ChannelReestablish {
  /// The peer has never signed or revoked anything, nor moved by a splice, which has no number: the channel is as it was
  /// opened.
  var isOfNewChannel: Bool {
    nextCommitmentNumber == 1 && nextRevocationNumber == 0 && nextFunding == nil
      && (fundingLocked.map { $0.transaction.hash == channel } ?? true)
  }
}
