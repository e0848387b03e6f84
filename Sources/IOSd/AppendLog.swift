import DaemonRuntime
import Foundation
import Glibc

/// A file of rows that only grows; the last row of an id is the one that counts.
final class AppendLog<Row: Codable> {
  private let descriptor: Int32
  private let encoder = JSONLineEncoder()

  init(_ path: String) throws(SystemError) {
    descriptor = try PlainFile.open(path, O_RDWR | O_APPEND | O_CREAT)
    endTornLine()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// A row that was cut short by a kill or a full disk is nobody's; the next one begins on a line of its own.
  private func endTornLine() {
    var last: UInt8 = UInt8(ascii: "\n")
    let end = lseek(descriptor, 0, SEEK_END)
    guard end > 0, pread(descriptor, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") else { return }
    write(descriptor, "\n", 1)
  }

  /// False when the row could not be made durable; the phone goes on.
  @discardableResult
  func append(_ row: Row) -> Bool {
    guard let text = try? encoder.encode(row) else { return false }
    let bytes = Array("\(text)\n".utf8)
    return write(descriptor, bytes, bytes.count) == bytes.count && fdatasync(descriptor) == 0
  }

  /// All rows there are; lines that are none are skipped.
  static func rows(of path: String) -> [Row] {
    rows(in: FileManager.default.contents(atPath: path) ?? Data())
  }

  static func rows(in data: Data) -> [Row] {
    let decoder = JSONDecoder()
    return data.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(Row.self, from: $0) }
  }
}
