import DaemonRuntime
import PhonePolicy

/// What the person sees, and has seen. The file has all of it.
final class NotificationCentre {
  private let log: AppendLog<NotificationRow>
  private var board: NotificationBoard

  var rows: [NotificationRow] { board.rows }
  var badge: Int { board.badge }
  var count: Int { board.count }
  /// The pushes that had a notification when the phone was started.
  let shownBefore: Set<UInt64>

  init(_ path: String) throws(SystemError) {
    log = try AppendLog(path)
    let rows = AppendLog<NotificationRow>.rows(of: path)
    board = NotificationBoard(rows)
    shownBefore = Set(rows.compactMap(\.push))
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

  func close(_ id: UInt64, _ touch: NotificationTouch, clock: Clock) {
    let row = board.close(id, touch.word, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    if let row { log.append(row) }
  }
}
