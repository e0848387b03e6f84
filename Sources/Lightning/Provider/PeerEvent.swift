import Crypto
import LightningWire

/// What can happen to the provider's side.
public enum PeerEvent: Hashable, Codable, Sendable {
  case deadlineReached
  /// Whose channel it is, where that is said from outside.
  case walletNamed(PublicKey)
  /// Of a node that has proven its id; nil where nobody can prove anything, as in the simulation.
  case connected(connection: UInt64, node: PublicKey? = nil)
  case received(connection: UInt64, Message)
  /// Bytes that are no message.
  case undecodable(connection: UInt64, String)
  case closed(connection: UInt64, String)
  case payRequested(PaymentRequest)
  /// Somebody else in the network asks to be paid.
  case externalInvoiceMade(ExternalInvoice)
}
