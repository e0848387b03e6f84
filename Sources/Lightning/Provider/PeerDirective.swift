import LightningWire

/// What the provider's shell does, in this order. A `store` is always the first of its list and one transaction:
/// it is durable before anything behind it happens.
public enum PeerDirective: Hashable, Codable, Sendable {
  case store([LedgerChange])
  case send(connection: UInt64, Message)
  /// Send what is queued, shut down, drain, close.
  case close(connection: UInt64, String)
  /// Drop what is unread at once and close: nothing of it may ever be acted on.
  case evict(connection: UInt64, String)
  case requestPush(PushRequest)
  case answer(payment: UInt64, PaymentOutcome)
}
