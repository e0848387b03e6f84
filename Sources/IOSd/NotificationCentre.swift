import DaemonRuntime
import PhonePolicy

/// The user's present and past notifications. The file has all of them.
final class NotificationCentre {
  private let log: AppendLog<BoardLine>
  private var board: NotificationBoard
  /// The bodies of the pushes whose notifications the user has answered, until the app is told.
  private var answered: [UInt64: String] = [:]

  var rows: [NotificationRow] { board.rows }
  var badge: Int { board.badge }
  var count: Int { board.count }
  /// The pushes that had a notification when the phone was started.
  let shownBefore: Set<UInt64>

  init(_ path: String) throws(SystemError) {
    log = try AppendLog(path)
    let lines = AppendLog<BoardLine>.rows(of: path)
    board = NotificationBoard(lines)
    shownBefore = Set(lines.compactMap(\.notification?.push))
  }

  /// It takes the place of those that it replaces.
  func show(_ notification: PhoneNotification, userInfo: [UInt8]?, clock: Clock) {
    let (wall, now) = (clock.wallNanoseconds, clock.now.nanoseconds)
    var rows = notification.replacedKeys.compactMap { board.withdraw(key: $0, wall: wall, at: now) }
    rows.append(
      board.show(
        notification, userInfo: userInfo, wall: wall, at: now, boot: clock.bootText))
    log.append(rows.map(BoardLine.notification))
  }

  func setBadge(_ number: Int, clock: Clock) {
    board.setBadge(number)
    log.append(.badge(BadgeRow(badge: board.badge, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)))
  }

  func withdraw(key: String, clock: Clock) {
    guard let row = board.withdraw(key: key, wall: clock.wallNanoseconds, at: clock.now.nanoseconds) else {
      return
    }
    log.append(.notification(row))
  }

  /// The push's body, for the user's response; empty for a local notification.
  func takeUserInfo(of id: UInt64) -> [UInt8] { Array((answered.removeValue(forKey: id) ?? "").utf8) }

  func close(_ id: UInt64, _ touch: NotificationTouch, clock: Clock) {
    answered[id] = board.rows.last { $0.id == id && $0.isThere }?.userInfo
    let row = board.close(id, touch.word, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    if let row { log.append(.notification(row)) }
  }
}
