import PhonePolicy

/// A line of os/notifications.jsonl: a notification, or a badge set by a push without an alert. One file has both,
/// so it keeps the order of all badge changes.
enum BoardLine: Report, Hashable {
  case notification(NotificationRow)
  case badge(BadgeRow)

  init(from decoder: any Decoder) throws {
    // Only a notification has an id.
    if let row = try? NotificationRow(from: decoder) {
      self = .notification(row)
    } else {
      self = .badge(try BadgeRow(from: decoder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .notification(let row): try row.encode(to: encoder)
    case .badge(let row): try row.encode(to: encoder)
    }
  }

  var notification: NotificationRow? {
    if case .notification(let row) = self { row } else { nil }
  }
}

struct BadgeRow: Report, Hashable {
  var badge: Int
  var wall: Int64
  var at: Int64

  enum CodingKeys: String, CodingKey {
    case badge
    case wall = "wall_ns"
    case at = "at_ns"
  }
}
