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

  enum CodingKeys: String, CodingKey {
    case id, push, source, title, body, badge
    case wall = "wall_ns"
    case at = "at_ns"
  }
}

/// What the person sees, and has seen.
final class NotificationCentre {
  private let log: AppendLog<NotificationRow>
  private(set) var rows: [NotificationRow]
  private(set) var badge: Int

  init(_ path: String) throws(SystemError) {
    rows = AppendLog<NotificationRow>.rows(of: path)
    badge = rows.last?.badge ?? 0
    log = try AppendLog(path)
  }

  func show(_ notification: PhoneNotification, clock: Clock) {
    let (sum, overflowed) = badge.addingReportingOverflow(notification.text.badgeIncrement)
    badge = overflowed ? badge : max(0, sum)
    let row = NotificationRow(
      id: (rows.last?.id ?? 0) &+ 1, push: notification.push, source: notification.source.rawValue,
      title: notification.text.title, body: notification.text.body, badge: badge,
      wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    rows.append(row)
    log.append(row)
  }
}
