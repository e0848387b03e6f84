/// What can happen to the provider's side.
public enum PeerEvent: Hashable, Codable, Sendable {
  case deadlineReached
  case connected(connection: UInt64)
  case received(connection: UInt64, Message)
  /// Bytes that are no message.
  case undecodable(connection: UInt64, String)
  case closed(connection: UInt64, String)
  case payRequested(PaymentRequest)
}
