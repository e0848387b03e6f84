/// An entry of the user's notification list.
public struct PhoneNotification: Hashable, Codable, Sendable {
  public enum Source: String, Hashable, Codable, Sendable {
    /// The push's original alert.
    case original
    /// The extension's content for a push.
    case content
    /// A local notification of a process.
    case local
  }

  public var push: UInt64?
  public var source: Source
  public var text: NotificationText
  /// The key by which its process can withdraw it.
  public var key: String?
  /// Whether it is displayed on the screen; otherwise it is only in the list.
  public var isDisplayed = true

  public init(push: UInt64?, source: Source, _ text: NotificationText, key: String? = nil) {
    self.push = push
    self.source = source
    self.text = text
    self.key = key
  }

  /// A local notification replaces the one with the same key, as UNUserNotificationCenter does by identifier.
  public var replaces: Bool { source == .local }

  static func original(_ push: PhonePush) -> PhoneNotification {
    PhoneNotification(push: push.id, source: .original, push.alert ?? NotificationText(title: "", body: ""))
  }
}
