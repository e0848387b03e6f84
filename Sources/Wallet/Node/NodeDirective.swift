import Ground
import Guardrails
import Lightning

/// Orders to the wallet's ports, and reports to its other parts, to be carried out in order.
public enum NodeDirective: Hashable, Codable, Sendable {
  // The container.
  /// Read the claim row. Answered by `rowRead`, `storeBlocked` or `storeFailed`.
  case checkRow
  /// Read the claim row and the state. Answered by `checkedAfterInit`, `storeBlocked` or `storeFailed`.
  case checkAfterInit
  /// A fenced write under this claim. Answered by `written`, `fenced`, `storeBlocked` or `storeFailed`.
  case write(NodeChange, under: Claim)

  // The wire.
  /// Answered by `dialled` or `closed`.
  case dial(attempt: Int)
  case send([NodeOutgoing])
  /// Shut down, read to the end, close. Answered by `closed`.
  case hangUp
  /// Close at once; unread and unsent bytes are dropped. No answer.
  case cutOff

  /// To the guard.
  case report(NodeReport)
  /// The peer no longer holds a payment of this hash, which has failed. It may report that again.
  case holdEnded(Bytes32)
  /// A new connection was asked for, and the open one has work.
  case connectionKept
  case invoiceStored(paymentHash: Bytes32)
  case invoiceRefused(paymentHash: Bytes32, NodeRefusal)
  /// From now on a payment of this invoice is refused.
  case invoiceCancelled(paymentHash: Bytes32)
  /// The invoice is unchanged, unless the sentence says that this is not known.
  case cancelRefused(paymentHash: Bytes32, NodeRefusal)
  /// The payment's HTLC is durable in the channel: it no longer depends on this process.
  case paymentOffered(paymentHash: Bytes32)
  /// No HTLC of the payment was stored or sent.
  case paymentRefused(paymentHash: Bytes32, NodeRefusal)
  case paymentEnded(PaymentChange.Ended)
  /// This side is bound to the splice: it no longer depends on this process.
  case spliceBegun(PendingSplice)
  /// Nothing of the last requested splice was stored.
  case spliceRefused(NodeRefusal)
  case spliceEnded(TransactionID, SpliceEnd)
  /// The LSP has done what it was asked.
  case webhookAnswered(id: String, WebhookAnswer)
  case webhookRefused(id: String, NodeRefusal)

  /// A payment or a splice-out of the user has ended, durably.
  package var isSentEnd: Bool {
    switch self {
    case .paymentEnded, .spliceEnded: true
    default: false
    }
  }
}

/// What goes over the wire. The port fills in secrets when it sends.
public enum NodeOutgoing: Hashable, Codable, Sendable {
  case message(Message)
  case channel(ChannelOutgoing)
  /// A `NodeBackup`, to be sealed and sent as `peer_storage`.
  case backup(Blob)
}

/// Why the node refused a request.
public enum NodeRefusal: Hashable, Codable, Sendable {
  /// This process does not own the node now; nothing was stored or sent.
  case notHeld
  /// One sentence for users; nothing of the request was stored or sent.
  case because(String)
  /// One sentence for users; the request may be stored.
  case unknown(String)
}
