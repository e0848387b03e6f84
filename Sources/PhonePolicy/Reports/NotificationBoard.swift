/// Present and past notifications, oldest first, and the badge: the last row of an id counts. Only the newest are
/// kept, and only these can be withdrawn.
public struct NotificationBoard {
  private var newest = NewestRows<NotificationRow>()
  public private(set) var badge = 0
  /// The count of all notifications ever.
  public private(set) var count = 0

  public var rows: [NotificationRow] { newest.rows }

  public init() {}

  public mutating func setBadge(_ number: Int) { badge = max(0, number) }

  /// Returns the row to be stored.
  public mutating func show(
    _ notification: PhoneNotification, wall: Int64, at: Int64, boot: String? = nil
  ) -> NotificationRow {
    if let number = notification.text.badge { setBadge(number) }
    let (sum, overflowed) = badge.addingReportingOverflow(notification.text.badgeIncrement)
    badge = overflowed ? badge : max(0, sum)
    let text = notification.text
    var row = NotificationRow(
      id: newest.nextID, push: notification.push, source: notification.source.rawValue, title: text.title,
      body: text.body, badge: badge, wallNs: wall, atNs: at)
    (row.subtitle, row.level, row.sound) = (text.subtitle, text.level.rawValue, text.sound)
    (row.thread, row.category, row.key) = (text.thread, text.category, notification.key)
    row.isDisplayed = notification.isDisplayed
    row.badgeIncrement = text.badgeIncrement == 1 ? nil : text.badgeIncrement
    row.boot = boot
    row.userInfo = notification.userInfo
    keep(row)
    return row
  }

  /// Nil if no notification with that key is present.
  public mutating func withdraw(key: String, wall: Int64, at: Int64) -> NotificationRow? {
    guard var row = rows.last(where: { $0.key == key && $0.isThere }) else { return nil }
    badge = max(0, badge - max(0, row.badgeIncrement ?? 1))
    row.isWithdrawn = true
    return leave(row, wall: wall, at: at)
  }

  /// The badge stays: only the app changes it. Nil if the notification is not present.
  public mutating func close(_ id: UInt64, _ answer: String, wall: Int64, at: Int64) -> NotificationRow? {
    guard var row = rows.last(where: { $0.id == id && $0.isThere }) else { return nil }
    row.answer = answer
    return leave(row, wall: wall, at: at)
  }

  private mutating func leave(_ there: NotificationRow, wall: Int64, at: Int64) -> NotificationRow {
    var row = there
    row.badge = badge
    row.userInfo = nil
    (row.goneWallNs, row.goneAtNs) = (wall, at)
    keep(row)
    return row
  }

  public mutating func keep(_ row: NotificationRow) {
    if row.id >= newest.nextID { count += 1 }
    newest.keep(row)
  }
}

/// The newest rows of a file, kept in memory: one per id.
public struct NewestRows<Row: NumberedRow> {
  static var kept: Int { 256 }

  public private(set) var rows: [Row] = []
  public private(set) var nextID: UInt64 = 1

  public init() {}

  public func row(_ id: UInt64) -> Row? { rows.last { $0.id == id } }

  /// No-op if the row is not among the newest.
  public mutating func replace(_ row: Row) {
    if let index = rows.lastIndex(where: { $0.id == row.id }) { rows[index] = row }
  }

  /// Replaces a row with the same id in place. Returns the row that was dropped.
  @discardableResult public mutating func keep(_ row: Row) -> Row? {
    nextID = max(nextID, row.id &+ 1)
    if let index = rows.lastIndex(where: { $0.id == row.id }) {
      rows[index] = row
      return nil
    }
    rows.append(row)
    return rows.count > Self.kept ? rows.removeFirst() : nil
  }
}
