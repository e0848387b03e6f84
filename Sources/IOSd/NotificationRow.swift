/// One notification, as it stands in os/notifications.jsonl. The last row of an id counts.
struct NotificationRow: Codable, Hashable, NumberedRow {
  var id: UInt64
  var push: UInt64?
  var source: String
  var title: String
  var subtitle: String?
  var body: String
  /// The badge after it.
  var badge: Int
  var level: String?
  var sound: String?
  var thread: String?
  var category: String?
  /// False when it only waits in the list, as a Focus is on; nobody has said so in rows without it.
  var isDisplayed: Bool?
  /// When it was shown.
  var wall: Int64
  var at: Int64
  /// Under which its process may take it back.
  var key: String?
  /// Taken back: the person does not see it any more.
  var isWithdrawn: Bool?
  /// What the person did with it: it is gone from the list.
  var answer: String?
  /// When it was taken back or answered; rows of an older phone have it in place of when they were shown.
  var goneWall: Int64?
  var goneAt: Int64?

  var isThere: Bool { isWithdrawn != true && answer == nil }

  enum CodingKeys: String, CodingKey {
    case id, push, source, title, subtitle, body, badge, level, sound, thread, category, key, answer
    case isDisplayed = "displayed"
    case isWithdrawn = "withdrawn"
    case wall = "wall_ns"
    case at = "at_ns"
    case goneWall = "gone_wall_ns"
    case goneAt = "gone_at_ns"
  }
}
