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

  public init(appName: String, url: String, setAtNs: Int64) {
    self.appName = appName
    self.url = url
    self.setAtNs = setAtNs
  }
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

  public init(
    number: UInt64, appName: String, url: String, method: String, timestamp: String, atNs: Int64,
    attempts: UInt64, outcome: String
  ) {
    self.number = number
    self.appName = appName
    self.url = url
    self.method = method
    self.timestamp = timestamp
    self.atNs = atNs
    self.attempts = attempts
    self.outcome = outcome
  }
}
