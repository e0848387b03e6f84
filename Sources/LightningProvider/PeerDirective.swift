import Lightning

/// Orders to the LSP's shell, to be carried out in order. A `store` is always the first of its list and one
/// transaction: it is durable before the others are carried out.
public enum PeerDirective: Hashable, Codable, Sendable {
  case store([LedgerChange])
  case send(connection: UInt64, Message)
  /// Send the queue, shut down, read to the end, close.
  case close(connection: UInt64, String)
  /// Drop unread bytes and close at once: none of their messages may be processed.
  case evict(connection: UInt64, String)
  case requestPush(PushRequest)
  case webhook(WebhookOrder)
  case answer(payment: UInt64, PaymentOutcome)
}
