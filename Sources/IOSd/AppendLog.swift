import DaemonRuntime
import Glibc
import Reports

/// A file of rows that only grows; the last row of an id is the one that counts.
final class AppendLog<Row: Report> {
  private let descriptor: Int32
  private var lines: LineWriter
  /// What a full disk would not take, the oldest first: without it the rows behind would stand where it is missing, as if
  /// it had been taken out.
  private var waiting: [String] = []
  private static var mostWaiting: Int { 4096 }

  init(_ path: String) throws(SystemError) {
    descriptor = try PlainFile.openOwn(path, O_RDWR | O_APPEND | O_CREAT)
    lines = LineWriter(appendingTo: descriptor)
  }

  deinit {
    if !waiting.isEmpty { _ = writeWaiting() }
    if descriptor >= 0 { close(descriptor) }
  }

  /// False when the row could not be made durable; the phone goes on, and tries again with the next one.
  @discardableResult
  func append(_ row: Row) -> Bool {
    waiting.append(row.json)
    return writeWaiting()
  }

  private func writeWaiting() -> Bool {
    let written = waiting.prefix { lines.append($0) }.count
    waiting.removeFirst(max(written, waiting.count - Self.mostWaiting))
    return waiting.isEmpty && fdatasync(descriptor) == 0
  }

  /// All rows there are; lines that are none are skipped.
  static func rows(of path: String) -> [Row] {
    Row.rows(in: (try? SmallFile.readOwn(path)) ?? [])
  }
}
