import Ground

/// What an LSP's operator chooses.
public struct WebhookRules: Hashable, Codable, Sendable {
  public var reach: WebhookReach
  /// Between two notifications of one method to a wallet that is away.
  public var cooldown: TimeSpan

  public init(reach: WebhookReach = .loopback, cooldown: TimeSpan = WebhookBook.standardCooldown) {
    self.reach = reach
    self.cooldown = cooldown
  }

  public static let standard = WebhookRules()
}

/// A change of the durable book.
public enum WebhookChange: Hashable, Codable, Sendable {
  /// Replaces the one of the same name.
  case set(Webhook)
  case removed(name: String)
  case called(WebhookCall)
  /// An attempt begins.
  case begun(call: UInt64)
  /// An attempt has ended, and there may be another.
  case tried(call: UInt64, WebhookOutcome)
  case ended(call: UInt64, WebhookOutcome)
}

public enum WebhookOrder: Hashable, Codable, Sendable {
  /// Post the notification, signed. Answered by the end of the attempt.
  case call(WebhookCall)
  /// End the attempt that is under way. No answer.
  case cancel(call: UInt64)
}

/// What one event has brought about: first the changes, then the others.
package struct WebhookStep: Hashable, Sendable {
  package var changes: [WebhookChange] = []
  /// The payload of the answer to the wallet.
  package var reply: String?
  package var orders: [WebhookOrder] = []

  package init() {}
}
