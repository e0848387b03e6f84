import Ground

/// One registered webhook of a wallet.
public struct Webhook: Hashable, Codable, Sendable {
  public static let nameBytesMax = 64

  public let name: String
  public let url: String

  public init(name: String, url: String) {
    self.name = name
    self.url = url
  }

  /// LSPS5 counts a name as it is written in JSON, with the escapes that JSON needs.
  static func nameBytes(_ name: String) -> Int {
    name.utf8.reduce(0) { count, byte in
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), 8, 9, 10, 12, 13: count + 2
      case 0..<32: count + 6
      default: count + 1
      }
    }
  }
}

/// One notification to one webhook, until it is delivered or given up.
public struct WebhookCall: Hashable, Codable, Sendable {
  /// Unique for its wallet, and ascending.
  public let number: UInt64
  public let webhook: Webhook
  public let notification: WebhookNotification
  /// Those that have begun.
  public internal(set) var attempts: UInt64 = 0
  /// Nil while an attempt is under way.
  var nextAt: Instant?

  /// A call that an earlier run has left open.
  public init(
    number: UInt64, webhook: Webhook, notification: WebhookNotification, attempts: UInt64 = 0,
    nextAt: Instant?
  ) {
    self.number = number
    self.webhook = webhook
    self.notification = notification
    self.attempts = attempts
    self.nextAt = nextAt
  }
}

/// How an attempt, or a whole call, has ended.
public enum WebhookOutcome: Hashable, Codable, Sendable {
  /// The server has answered. LSPS5: 200 is success; whatever else it says is ignored, so it is not called again.
  case answered(status: Int)
  /// No connection, or one that ended without an answer.
  case unreachable
  case timedOut
  /// The address is not one that this LSP calls.
  case forbiddenAddress
  /// Without an answer after the last attempt.
  case givenUp
  /// The wallet is here, the payment is over, or the webhook was replaced or removed.
  case notNeeded

  /// In rows.
  public var word: String {
    switch self {
    case .answered(let status): status == 200 ? "delivered" : "answered-otherwise"
    case .unreachable: "unreachable"
    case .timedOut: "timed-out"
    case .forbiddenAddress: "forbidden-address"
    case .givenUp: "given-up"
    case .notNeeded: "not-needed"
    }
  }

  public var status: Int? { if case .answered(let status) = self { status } else { nil } }

  /// Whether another attempt may have another end.
  var mayRetry: Bool { self == .unreachable || self == .timedOut }
}
