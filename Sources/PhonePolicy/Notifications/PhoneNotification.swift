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
  /// The key of another notification that is withdrawn in the same moment, such as the announcement of what is received.
  public var withdraws: String?
  /// The push's payload, for the app when the user responds.
  public var userInfo: String?
  /// Whether it is displayed on the screen; otherwise it is only in the list.
  public var isDisplayed = true

  public init(
    push: UInt64?, source: Source, _ text: NotificationText, key: String? = nil, withdraws: String? = nil
  ) {
    self.push = push
    self.source = source
    self.text = text
    self.key = key
    self.withdraws = withdraws
  }

  /// The keys of notifications that leave the list as this one comes: its own, as UNUserNotificationCenter replaces by
  /// identifier, and the withdrawn one. In two messages another process's notification could come between.
  public var replacedKeys: [String] { [key, withdraws].compactMap { $0 } }

  static func original(_ push: PhonePush) -> PhoneNotification {
    var notification = PhoneNotification(
      push: push.id, source: .original, push.alert ?? NotificationText(title: "", body: ""))
    notification.userInfo = push.payload
    return notification
  }
}
