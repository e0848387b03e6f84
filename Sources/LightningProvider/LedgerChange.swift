import Crypto
import Ground
import Lightning

/// One change of the ledger. All changes of one event are one transaction.
public enum LedgerChange: Hashable, Codable, Sendable {
  case connectionOpened(connection: UInt64, node: PublicKey? = nil)
  case connectionJudged(connection: UInt64, ConnectionVerdict, Claim?)
  case connectionClosed(connection: UInt64, String)
  /// The frame of this event changed the state or was answered.
  case frameActedOn(connection: UInt64)
  /// The frame of this event changed nothing, with the reason.
  case frameIgnored(connection: UInt64, String)
  /// The highest claim so far.
  case fence(Claim)
  case channel(StoredChannel)
  case backup(connection: UInt64, Blob)
  case paymentHeld(PaymentRequest)
  case paymentOffered(payment: UInt64, htlc: UInt64)
  case paymentPaid(payment: UInt64, preimage: Bytes32)
  case paymentFailed(payment: UInt64, PaymentFailure)
  /// The wallet's push key, which replaces an earlier one.
  case pushKey(PublicKey)
  /// A payment of this hash failed without the wallet, which is told.
  case holdEnded(paymentHash: Bytes32)
  /// The wallet is no longer told: the hash is held again, or there are newer ones.
  case endedHoldForgotten(paymentHash: Bytes32)
  /// Replaces an earlier order.
  case failuresOrdered(OrderedFailures)
  /// A payment was failed by the order, which has one failure less.
  case orderedFailureUsed
  case webhook(WebhookChange)
  case externalMade(ExternalInvoice)
  /// The preimage is sent only after this is stored.
  case externalPaid(paymentHash: Bytes32, htlc: UInt64)
  /// One of the two ends has lost state that it had acknowledged.
  case dataLoss(connection: UInt64, DataLoss)
  /// The LSP has sent an `error` for the channel, which has failed by it. On connection 0 of none: ordered while the
  /// wallet was away, which gets the error when it connects.
  case channelFailed(connection: UInt64, String)
}

/// The side whose channel state is outdated.
public enum DataLoss: String, Hashable, Codable, Sendable, CaseIterable {
  case wallet = "wallet"
  case peer = "peer"
}
