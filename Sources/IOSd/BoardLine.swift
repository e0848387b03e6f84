import Reports

/// A line of os/notifications.jsonl: a notification, or the number on the wallet's icon as a push without an alert has set it.
/// Both stand in one file, so that it has the order of all that changes the badge.
enum BoardLine: Report, Hashable {
  case notification(NotificationRow)
  case badge(BadgeRow)

  init(from decoder: any Decoder) throws {
    // Only a notification has a number.
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
