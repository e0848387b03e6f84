/// LSPS5's notifications, which an LSP posts to webhooks.
public struct WebhookNotification: Hashable, Codable, Sendable {
  public enum Method: String, Hashable, Codable, Sendable, CaseIterable {
    case webhookRegistered = "lsps5.webhook_registered"
    case paymentIncoming = "lsps5.payment_incoming"
    case expirySoon = "lsps5.expiry_soon"
    case liquidityManagementRequest = "lsps5.liquidity_management_request"
    case onionMessageIncoming = "lsps5.onion_message_incoming"

    /// Whether it has a block height.
    public var hasTimeout: Bool { self == .expirySoon }
  }

  public let method: Method
  /// The height at which a channel would close, for `expirySoon` alone.
  public let timeout: UInt32?

  /// To a new webhook, and to no other.
  public static let webhookRegistered = Self(method: .webhookRegistered, timeout: nil)
  /// One or more payments wait for the wallet.
  public static let paymentIncoming = Self(method: .paymentIncoming, timeout: nil)

  /// Nil unless a height is given exactly for the method that has one.
  public init?(_ method: Method, timeout: UInt32? = nil) {
    guard method.hasTimeout == (timeout != nil) else { return nil }
    self.init(method: method, timeout: timeout)
  }

  private init(method: Method, timeout: UInt32?) {
    self.method = method
    self.timeout = timeout
  }

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
