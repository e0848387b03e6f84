import DaemonRuntime
import Glibc
import PhonePolicy

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
  @discardableResult
  func append(_ row: Row) -> Bool { append([row]) }

  /// In one write: no kill and no full disk is between rows that belong together.
  @discardableResult
  func append(_ rows: [Row]) -> Bool {
    waiting.append(rows.map(\.json).joined(separator: "\n"))
    return writeWaiting()
  }

  private func writeWaiting() -> Bool {
    let written = waiting.prefix { lines.append($0) }.count
    waiting.removeFirst(max(written, waiting.count - Self.mostWaiting))
    return waiting.isEmpty && fdatasync(descriptor) == 0
  }

  /// All valid rows; other lines are skipped.
  static func rows(of path: String) -> [Row] {
    Row.rows(in: (try? SmallFile.readOwn(path)) ?? [])
  }
}
