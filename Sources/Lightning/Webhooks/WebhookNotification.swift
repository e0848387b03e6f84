/// LSPS5's notifications, which an LSP posts to webhooks.
public enum WebhookNotification: Hashable, Codable, Sendable {
  /// To a new webhook, and to no other.
  case webhookRegistered
  /// One or more payments wait for the wallet.
  case paymentIncoming
  /// A contract in the channel is within 24 blocks of this height, at which the channel would close.
  case expirySoon(timeout: UInt32)
  /// The LSP wants liquidity back.
  case liquidityManagementRequest
  /// One or more onion messages wait for the wallet.
  case onionMessageIncoming

  public enum Method: String, Hashable, Codable, Sendable, CaseIterable {
    case webhookRegistered = "lsps5.webhook_registered"
    case paymentIncoming = "lsps5.payment_incoming"
    case expirySoon = "lsps5.expiry_soon"
    case liquidityManagementRequest = "lsps5.liquidity_management_request"
    case onionMessageIncoming = "lsps5.onion_message_incoming"

    /// Whether it has a block height.
    public var hasTimeout: Bool { self == .expirySoon }
  }

  /// Nil unless a height is given exactly for the method that has one.
  public init?(_ method: Method, timeout: UInt32? = nil) {
    guard method.hasTimeout == (timeout != nil) else { return nil }
    switch method {
    case .webhookRegistered: self = .webhookRegistered
    case .paymentIncoming: self = .paymentIncoming
    case .expirySoon: self = .expirySoon(timeout: timeout ?? 0)
    case .liquidityManagementRequest: self = .liquidityManagementRequest
    case .onionMessageIncoming: self = .onionMessageIncoming
    }
  }

  public var method: Method {
    switch self {
    case .webhookRegistered: .webhookRegistered
    case .paymentIncoming: .paymentIncoming
    case .expirySoon: .expirySoon
    case .liquidityManagementRequest: .liquidityManagementRequest
    case .onionMessageIncoming: .onionMessageIncoming
    }
  }

  public var timeout: UInt32? { if case .expirySoon(let height) = self { height } else { nil } }

  /// The posted body, which is also signed: byte for byte the same.
  public var body: String {
    let params = timeout.map { "{\"timeout\":\($0)}" } ?? "{}"
    return "{\"jsonrpc\":\"2.0\",\"method\":\"\(method.rawValue)\",\"params\":\(params)}"
  }

  /// The text that the LSP signs with its node's key. `timestamp`: `YYYY-MM-DDThh:mm:ss.uuuZ`.
  public static func signedText(of body: String, at timestamp: String) -> String {
    "LSPS5: DO NOT SIGN THIS MESSAGE MANUALLY: LSP: At \(timestamp) I notify \(body)"
  }
}
