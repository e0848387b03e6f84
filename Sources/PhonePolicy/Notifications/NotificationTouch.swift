/// The user's response to a notification.
public enum NotificationTouch: Hashable, Codable, Sendable {
  case tap
  case action(String)
  case dismiss

  /// The action's name in the message to the app.
  public var word: String {
    switch self {
    case .tap: "default"
    case .action(let id): id
    case .dismiss: "dismiss"
    }
  }
}
