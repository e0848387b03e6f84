import DaemonRuntime
import Glibc
import PhonePolicy

/// The user's present and past notifications. The file has all of them.
final class NotificationCentre {
  private let log: AppendLog<BoardLine>
  private var board: NotificationBoard

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
  func show(_ notification: PhoneNotification, clock: Clock) {
    let (wall, now) = (clock.wallNanoseconds, clock.now.nanoseconds)
    var rows = notification.replacedKeys.compactMap { board.withdraw(key: $0, wall: wall, at: now) }
    rows.append(board.show(notification, wall: wall, at: now, boot: clock.bootText))
    log.append(rows.map(BoardLine.notification))
  }

  func setBadge(_ number: Int, clock: Clock) {
    board.setBadge(number)
    log.append(
      .badge(BadgeRow(badge: board.badge, wallNs: clock.wallNanoseconds, atNs: clock.now.nanoseconds)))
  }

  func withdraw(key: String, clock: Clock) {
    guard let row = board.withdraw(key: key, wall: clock.wallNanoseconds, at: clock.now.nanoseconds) else {
      return
    }
    log.append(.notification(row))
  }

  func close(_ id: UInt64, _ touch: NotificationTouch, clock: Clock) {
    let row = board.close(id, touch.word, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    if let row { log.append(.notification(row)) }
  }
}

extension NotificationBoard {
  /// From the lines of the file, oldest first.
  init(_ lines: [BoardLine]) {
    self.init()
    // Any program of this user can write the file: a negative badge becomes 0.
    for line in lines {
      switch line {
      case .notification(let row):
        setBadge(row.badge)
        keep(row)
      case .badge(let row): setBadge(row.badge)
      }
    }
  }
}

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
  var wallNs: Int64
  var atNs: Int64
}

/// An append-only file of rows; the last row of an id counts.
final class AppendLog<Row: Report> {
  private let descriptor: Int32
  private var lines: LineWriter
  /// Rows that a full disk did not take, oldest first. They are written before later rows, so no row is missing in
  /// between.
  private var waiting: [String] = []
  private static var mostWaiting: Int { 4096 }

  init(_ path: String) throws(SystemError) {
    descriptor = try PlainFile.open(path, O_RDWR | O_APPEND | O_CREAT)
    lines = LineWriter(appendingTo: descriptor)
  }

  deinit {
    if !waiting.isEmpty { _ = writeWaiting() }
    if descriptor >= 0 { close(descriptor) }
  }

  /// False if the row could not be made durable; the next append tries again.
  @discardableResult func append(_ row: Row) -> Bool { append([row]) }

  /// In one write: no kill and no full disk is between rows that belong together.
  @discardableResult func append(_ rows: [Row]) -> Bool {
    waiting.append(rows.map(\.json).joined(separator: "\n"))
    return writeWaiting()
  }

  private func writeWaiting() -> Bool {
    let written = waiting.prefix { lines.append($0) }.count
    waiting.removeFirst(max(written, waiting.count - Self.mostWaiting))
    return waiting.isEmpty && fdatasync(descriptor) == 0
  }

  /// All valid rows; other lines are skipped.
  static func rows(of path: String) -> [Row] { Row.rows(in: (try? SmallFile.readOwn(path)) ?? []) }
}

extension PhoneShell {
  func notificationText(_ message: ControlMessage) throws(ControlMessageError) -> NotificationText {
    func text(_ name: String, _ count: Int) -> String? {
      message[name].map { ScreenText.cut($0, to: count) }.flatMap { $0.isEmpty ? nil : $0 }
    }
    let badge = try message.integerIfPresent("badge", in: -1000...1000) ?? 0
    return NotificationText(
      title: text("title", ScreenText.titleMax) ?? "", subtitle: text("subtitle", ScreenText.titleMax),
      body: text("body", ScreenText.bodyMax) ?? "", badgeIncrement: badge,
      level: message["level"] == nil ? .active : try message.word("level"),
      sound: text("sound", ScreenText.nameMax), thread: text("thread", ScreenText.nameMax),
      category: text("category", ScreenText.nameMax))
  }

  /// The app registers its notification categories.
  func hearCategories(_ message: ControlMessage) throws(ControlMessageError) {
    guard let categories = CategoryList.read(message.body) else {
      throw .badValue(name: "categories", expected: "the JSON list that docs/protocols.md describes")
    }
    let wasOutdated = categoryFile.isOutdated
    handle(.categoriesRegistered(categories))
    if wasOutdated { saveCategoriesAgain() }
  }

  /// A failed write is retried when the app registers again, even the same categories, and when the phone powers
  /// off.
  func saveCategoriesAgain() {
    if categoryFile.isOutdated { save(phone.categories) }
  }

  /// After a failed write the next start has no categories until the app registers them again.
  func save(_ categories: [NotificationCategory]) {
    do throws(SystemError) {
      try categoryFile.write(categories)
    } catch { journal.note("the app's categories will be lost when iosd ends: \(error)") }
  }

  func refuseNotification(_ push: UInt64?, _ why: Refusal) {
    journal.note("\(push.map { "the content for push \($0)" } ?? "a notification") is refused: \(why)")
  }
}
