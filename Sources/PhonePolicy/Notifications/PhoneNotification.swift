/// What is in the user's list of notifications.
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
  /// Whether it lights up the screen; else it waits in the list.
  public var isDisplayed = true

  public init(push: UInt64?, source: Source, _ text: NotificationText, key: String? = nil) {
    self.push = push
    self.source = source
    self.text = text
    self.key = key
  }

  /// What a process posts takes the place of what is there under its key, as UNUserNotificationCenter does by identifier.
  public var replaces: Bool { source == .local }

  static func original(_ push: PhonePush) -> PhoneNotification {
    PhoneNotification(push: push.id, source: .original, push.alert ?? NotificationText(title: "", body: ""))
  }
}
