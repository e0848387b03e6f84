/// A notification's text and presentation (`UNNotificationContent`).
public struct NotificationText: Hashable, Codable, Sendable {
  public var title: String
  public var subtitle: String?
  public var body: String
  /// Added to the badge.
  public var badgeIncrement: Int
  /// The badge that the push sets, before the increment.
  public var badge: Int?
  public var level: InterruptionLevel
  /// `default`, or the name of a sound.
  public var sound: String?
  /// Notifications of one thread are grouped.
  public var thread: String?
  /// The id of its registered category.
  public var category: String?

  /// The user would read nothing.
  var isEmpty: Bool { title.isEmpty && body.isEmpty && (subtitle ?? "").isEmpty }

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
