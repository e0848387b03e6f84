import Crypto
import Lightning

/// The events of the LSP.
public enum PeerEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// The wallet's node, named by the user.
  case walletNamed(PublicKey)
  /// With the node id from the handshake; nil without one, as in the simulation.
  case connected(connection: UInt64, node: PublicKey? = nil)
  case received(connection: UInt64, Message)
  /// Bytes that are no message.
  case undecodable(connection: UInt64, String)
  case closed(connection: UInt64, String)
  case payRequested(PaymentRequest)
  /// Another node has made an invoice.
  case externalInvoiceMade(ExternalInvoice)
  /// Replaces an earlier order; one of no failures cancels it.
  case failuresOrdered(OrderedFailures)
  /// A user's order to fail the channel.
  case channelFailureOrdered
  /// A user's order to push to the wallet that an ordered channel is ready, or that its channel is closed; this closes it.
  case announcementOrdered(PushReason)
  /// A user's order to notify the wallet's webhooks, if it is away.
  case notificationOrdered(WebhookNotification)
  /// An attempt of a call has ended.
  case webhookCalled(call: UInt64, WebhookOutcome)
}
