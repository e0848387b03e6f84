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

/// What the person sees, and has seen. The file has all of it.
final class NotificationCentre {
  private let log: AppendLog<NotificationRow>
  private var board: NotificationBoard

  var rows: [NotificationRow] { board.rows }
  var badge: Int { board.badge }
  var count: Int { board.count }

  init(_ path: String) throws(SystemError) {
    log = try AppendLog(path)
    board = NotificationBoard(AppendLog<NotificationRow>.rows(of: path))
  }

  func show(_ notification: PhoneNotification, clock: Clock) {
    log.append(board.show(notification, wall: clock.wallNanoseconds, at: clock.now.nanoseconds))
  }

  func withdraw(key: String, clock: Clock) {
    guard let row = board.withdraw(key: key, wall: clock.wallNanoseconds, at: clock.now.nanoseconds) else {
      return
    }
    log.append(row)
  }
}
