import Ground
import Lightning

/// The events of the wallet's node.
public enum NodeEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// The epoch is claimed, and the state was read in the claim's transaction. `replacing`: the wallet whose fence at
  /// the peer this claim replaces, if the user has asked for that.
  case started(Claim, NodeState, replacing: ReplacedClaim? = nil)
  case stopRequested(gracefully: Bool)
  /// Payments that are not accepted yet are left to the next owner.
  case handoverRequested

  // Answers of the container.
  /// The container's claim row; nil if it was never claimed.
  case rowRead(ClaimRow?)
  /// The claim row, and the state read in the same transaction; nil if it is the one that the node knows.
  case checkedAfterInit(ClaimRow?, NodeState?)
  case written
  case fenced
  case storeBlocked
  case storeFailed(String)
  /// The container at its path was replaced or removed: this process cannot use it any more.
  case storeLost(String)

  // The wire.
  case dialled
  case received(Message)
  case backupReceived(BackupReading)
  case closed(String)
  /// The phone's network is lost or back.
  case networkChanged(isThere: Bool)

  /// The app has come to the front.
  case userCame
  /// The user asks for another connection, whatever this one is good for.
  case reconnectRequested
  /// The other process handles a push, which the peer requested: the peer is up.
  case peerMayBeThere

  case invoiceMade(Invoice)
  /// The user cancels this invoice of the wallet.
  case invoiceCancelRequested(Bytes32)
  /// `past`: the container's record of an earlier payment of the same invoice that is over.
  case payRequested(OutgoingPayment, past: PastPayment? = nil)
  /// The user withdraws on chain.
  case spliceRequested(SpliceRequest)
  /// With the request's id for the LSP.
  case webhookRequested(id: String, WebhookRequest)
}
