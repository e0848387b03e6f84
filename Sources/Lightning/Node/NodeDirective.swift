import Ground
import Bitcoin
import LightningWire
import LightningChannel

/// What the node orders, in this order: of the ports of the wallet, and what it says to the wallet's other parts.
public enum NodeDirective: Hashable, Codable, Sendable {
  // The container.
  /// Who owns the node? Answered by `rowRead`, `storeBlocked` or `storeFailed`.
  case checkRow
  /// Who owns the node, and what is the state? Answered by `checkedAfterInit`, `storeBlocked` or `storeFailed`.
  case checkAfterInit
  /// A fenced write under this claim. Answered by `written`, `fenced`, `storeBlocked` or `storeFailed`.
  case write(NodeChange, under: Claim)

  // The wire.
  /// Answered by `dialled` or `closed`.
  case dial(attempt: Int)
  case send([NodeOutgoing])
  /// Shut down, drain to the end, close. Answered by `closed`.
  case hangUp
  /// Close at once, whatever is unread or unsent. No answer.
  case cutOff

  case report(NodeNews)
  case invoiceStored(paymentHash: Bytes32)
  case invoiceRefused(paymentHash: Bytes32, NodeRefusal)
  /// From now on a payment of it is refused.
  case invoiceCancelled(paymentHash: Bytes32)
  /// It stands as it did, unless the sentence says that this is not known.
  case cancelRefused(paymentHash: Bytes32, NodeRefusal)
  /// It is in the channel, whatever becomes of this process.
  case paymentOffered(paymentHash: Bytes32)
  /// Nothing of it is anywhere.
  case paymentRefused(paymentHash: Bytes32, NodeRefusal)
  case paymentEnded(PaymentChange.Ended)
  /// This side is bound to it, whatever becomes of this process.
  case spliceBegun(PendingSplice)
  /// Nothing of what was asked for last is anywhere.
  case spliceRefused(NodeRefusal)
  case spliceEnded(TransactionID, SpliceEnd)
}

/// What goes over the wire. Secrets are put in by the port at the moment of sending.
public enum NodeOutgoing: Hashable, Codable, Sendable {
  case message(Message)
  case channel(ChannelOutgoing)
  /// To be sealed and sent as `peer_storage`.
  case backup(NodeBackup)
}

/// What the node tells the guardrails.
public enum NodeNews: Hashable, Codable, Sendable {
  case connecting
  case established
  /// Said when it changes, from nothing at the start of the node on.
  case busy(NodeActivity)
  case received(Receipt)
  case stopped
  case fenced
  case refused(FenceAnswer)
  case trouble(String)
}
