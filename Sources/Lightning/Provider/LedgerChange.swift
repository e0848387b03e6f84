import Ground
import Crypto
import Bitcoin
import LightningChannel

/// One line of what the ledger must know. All lines of one event are one transaction.
public enum LedgerChange: Hashable, Codable, Sendable {
  case connectionOpened(connection: UInt64, node: PublicKey? = nil)
  case connectionJudged(connection: UInt64, ConnectionVerdict, Claim?)
  case connectionClosed(connection: UInt64, String)
  /// About the frame that this event brought: it changed something, or was answered.
  case frameActedOn(connection: UInt64)
  /// About the frame that this event brought: it changed nothing, and why.
  case frameIgnored(connection: UInt64, String)
  /// The highest claim so far.
  case fence(Claim)
  case channel(ChannelRecord)
  case backup(connection: UInt64, Bytes)
  case paymentHeld(PaymentRequest)
  case paymentOffered(payment: UInt64, htlc: UInt64)
  case paymentPaid(payment: UInt64, preimage: Bytes32)
  case paymentFailed(payment: UInt64, PaymentFailure)
  case externalMade(ExternalInvoice)
  /// Its preimage leaves behind this.
  case externalPaid(paymentHash: Bytes32, htlc: UInt64)
  /// One of the two ends has forgotten something that it had acknowledged.
  case dataLoss(connection: UInt64, DataLoss)
  /// An `error` about the channel, which its end is from then on.
  case channelFailed(connection: UInt64, String)
}
