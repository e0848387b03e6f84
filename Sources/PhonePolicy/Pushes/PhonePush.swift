/// The words of a notification.
public struct NotificationText: Hashable, Codable, Sendable {
  public var title: String
  public var body: String
  /// How much the badge grows.
  public var badgeIncrement: Int

  public init(title: String, body: String, badgeIncrement: Int = 0) {
    self.title = title
    self.body = body
    self.badgeIncrement = badgeIncrement
  }
}

/// One push, as far as the phone's rules read it.
public struct PhonePush: Hashable, Codable, Sendable {
  public var id: UInt64
  /// The alert as it was sent; nil for a silent push.
  public var alert: NotificationText?
  /// Whether the sender lets the extension change the alert.
  public var hasMutableContent: Bool

  public init(id: UInt64, alert: NotificationText?, hasMutableContent: Bool) {
    self.id = id
    self.alert = alert
    self.hasMutableContent = hasMutableContent
  }
}

/// What the person sees.
public struct PhoneNotification: Hashable, Codable, Sendable {
  public enum Source: String, Hashable, Codable, Sendable {
    /// The alert as it was sent.
    case original
    /// The extension's content for a push.
    case content
    /// Posted by a process of its own accord.
    case local
  }

  public var push: UInt64?
  public var source: Source
  public var text: NotificationText
  /// Under which its process may take it back.
  public var key: String?

  public init(push: UInt64?, source: Source, _ text: NotificationText, key: String? = nil) {
    self.push = push
    self.source = source
    self.text = text
    self.key = key
  }

  static func original(_ push: PhonePush) -> PhoneNotification {
    PhoneNotification(push: push.id, source: .original, push.alert ?? NotificationText(title: "", body: ""))
  }
}
