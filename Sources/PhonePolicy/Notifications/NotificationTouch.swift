/// What the user does with a notification.
public enum NotificationTouch: Hashable, Codable, Sendable {
  case tap
  case action(String)
  case dismiss

  /// As the app is told.
  public var word: String {
    switch self {
    case .tap: "default"
    case .action(let id): id
    case .dismiss: "dismiss"
    }
  }
}
