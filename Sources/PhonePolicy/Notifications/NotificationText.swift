/// The words of a notification, and how it wants to be shown.
public struct NotificationText: Hashable, Codable, Sendable {
  public var title: String
  public var subtitle: String?
  public var body: String
  /// How much the badge grows.
  public var badgeIncrement: Int
  /// The number that a push sets the badge to, before it grows.
  public var badge: Int?
  public var level: InterruptionLevel
  /// `default`, or the name of another.
  public var sound: String?
  /// Those of one thread are shown together.
  public var thread: String?
  /// What the user can do with it is registered under this name.
  public var category: String?

  public init(
    title: String, subtitle: String? = nil, body: String, badgeIncrement: Int = 0,
    level: InterruptionLevel = .active, sound: String? = nil, thread: String? = nil, category: String? = nil
  ) {
    self.title = title
    self.subtitle = subtitle
    self.body = body
    self.badgeIncrement = badgeIncrement
    self.level = level
    self.sound = sound
    self.thread = thread
    self.category = category
  }
}
