import Ground
import LightningWire
import LightningChannel

/// What can happen to the wallet's node.
public enum NodeEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// The epoch is claimed and this is the state that was read in the claim. With whose place it takes at the peer, if the
  /// user has said so.
  case started(Claim, NodeState, replacing: ReplacedClaim? = nil)
  case stopRequested(gracefully: Bool)
  /// Payments that were not accepted yet are left to the next owner.
  case handoverRequested

  // Answers of the container.
  /// Who owns the node, by the container; nil in one that nobody has claimed.
  case rowRead(ClaimRow?)
  /// The same, and the state that was read with it.
  case checkedAfterInit(ClaimRow?, NodeState)
  case written
  case fenced
  case storeBlocked
  case storeFailed(String)
  /// The container is not what lies at its path any more: it is of no use to this process.
  case storeLost(String)

  // The wire.
  case dialled
  case received(Message)
  case backupReceived(BackupReading)
  case closed(String)
  /// The phone has lost its network, or found it again.
  case networkChanged(isThere: Bool)

  /// The app has come to the front.
  case userCame
  /// The other process serves a push, which the peer asked for: the peer is there.
  case peerMayBeThere

  case invoiceMade(Invoice)
  /// A user does not want this invoice of the wallet's paid any more.
  case invoiceCancelRequested(Bytes32)
  /// With what the container has, at this moment, of an earlier payment of the same invoice that is over.
  case payRequested(OutgoingPayment, past: PastPayment? = nil)
  /// A user wants money paid out on chain.
  case spliceRequested(SpliceRequest)
}
