/// The webhooks of one wallet at its LSP, and the newest calls to them.
public struct WebhookList: Report, Hashable {
  public var webhooks: [WebhookRow]
  /// The oldest first.
  public var calls: [WebhookCallRow]

  public init(webhooks: [WebhookRow], calls: [WebhookCallRow]) {
    self.webhooks = webhooks
    self.calls = calls
  }
}

public struct WebhookRow: Report, Hashable {
  public var appName: String
  public var url: String
  public var setAtNs: Int64
}

/// One notification to one webhook.
public struct WebhookCallRow: Report, Hashable {
  public var number: UInt64
  public var appName: String
  public var url: String
  public var method: String
  /// A block height, of `lsps5.expiry_soon` alone.
  public var timeout: UInt64?
  /// As it is signed.
  public var timestamp: String
  public var atNs: Int64
  public var attempts: UInt64
  /// One word.
  public var outcome: String
  /// Of HTTP.
  public var status: Int64?
}
