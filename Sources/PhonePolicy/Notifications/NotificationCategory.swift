/// What the user can do with the notifications of one kind, as the app has registered it.
public struct NotificationCategory: Hashable, Codable, Sendable {
  public struct Action: Hashable, Codable, Sendable {
    public var id: String
    public var title: String
    /// It brings the app to the front; else the app does it in the background.
    public var opensApp: Bool

    public init(id: String, title: String, opensApp: Bool) {
      self.id = id
      self.title = title
      self.opensApp = opensApp
    }
  }

  public var id: String
  public var actions: [Action]
  /// The app is told too when one is wiped away: `customDismissAction`.
  public var tellsDismissal: Bool

  public init(id: String, actions: [Action], tellsDismissal: Bool) {
    self.id = id
    self.actions = actions
    self.tellsDismissal = tellsDismissal
  }
}
