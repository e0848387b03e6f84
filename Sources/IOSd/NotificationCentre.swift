import DaemonRuntime
import PhonePolicy

/// One notification, as it stands in os/notifications.jsonl.
struct NotificationRow: Codable, Hashable {
  var id: UInt64
  var push: UInt64?
  var source: String
  var title: String
  var body: String
  /// The badge after it.
  var badge: Int
  var wall: Int64
  var at: Int64
  /// Under which its process may take it back.
  var key: String?
  /// Taken back: the person does not see it any more. The last row of an id counts.
  var isWithdrawn: Bool?

  enum CodingKeys: String, CodingKey {
    case id, push, source, title, body, badge, key
    case isWithdrawn = "withdrawn"
    case wall = "wall_ns"
    case at = "at_ns"
  }
}

/// What the person sees, and has seen. The file has all of it; only the newest are kept in memory, and only these can
/// be taken back.
final class NotificationCentre {
  private static let keptRows = 256

  private let log: AppendLog<NotificationRow>
  private(set) var rows: [NotificationRow]
  private(set) var badge: Int
  /// All there ever were.
  private(set) var count = 0
  private var nextID: UInt64 = 1

  init(_ path: String) throws(SystemError) {
    rows = []
    badge = 0
    log = try AppendLog(path)
    for row in AppendLog<NotificationRow>.rows(of: path) {
      badge = row.badge
      keep(row)
    }
  }

  func show(_ notification: PhoneNotification, clock: Clock) {
    let (sum, overflowed) = badge.addingReportingOverflow(notification.text.badgeIncrement)
    badge = overflowed ? badge : max(0, sum)
    let row = NotificationRow(
      id: nextID, push: notification.push, source: notification.source.rawValue,
      title: notification.text.title, body: notification.text.body, badge: badge,
      wall: clock.wallNanoseconds, at: clock.now.nanoseconds, key: notification.key)
    keep(row)
    log.append(row)
  }

  func withdraw(key: String, clock: Clock) {
    guard var row = rows.last(where: { $0.key == key && $0.isWithdrawn != true }) else { return }
    badge = max(0, badge - 1)
    row.isWithdrawn = true
    row.badge = badge
    row.wall = clock.wallNanoseconds
    row.at = clock.now.nanoseconds
    keep(row)
    log.append(row)
  }

  private func keep(_ row: NotificationRow) {
    if row.id >= nextID {
      count += 1
      nextID = row.id &+ 1
    } else if let index = rows.lastIndex(where: { $0.id == row.id }) {
      rows.remove(at: index)
    }
    rows.append(row)
    if rows.count > Self.keptRows { rows.removeFirst(rows.count - Self.keptRows) }
  }
}
