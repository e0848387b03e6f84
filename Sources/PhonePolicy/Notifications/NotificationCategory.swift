/// A notification category registered by the app: the actions that the user has (`UNNotificationCategory`), as in the
/// app's message, os/categories.json and the answer to `categories`.
public struct NotificationCategory: Report, Hashable {
  public struct Action: Hashable, Codable, Sendable {
    public var id: String
    public var title: String
    /// The action brings the app to the foreground; otherwise the app handles it in the background.
    public var opensApp: Bool

    enum CodingKeys: String, CodingKey {
      case id, title
      case opensApp = "foreground"
    }

    public init(id: String, title: String, opensApp: Bool) {
      self.id = id
      self.title = title
      self.opensApp = opensApp
    }
  }

  public var id: String
  public var actions: [Action]
  /// `customDismissAction`: the app is also told when the user dismisses a notification.
  public var tellsDismissal: Bool

  enum CodingKeys: String, CodingKey {
    case id, actions
    case tellsDismissal = "dismiss"
  }

  public init(id: String, actions: [Action], tellsDismissal: Bool) {
    self.id = id
    self.actions = actions
    self.tellsDismissal = tellsDismissal
  }
}
