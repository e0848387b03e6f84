import PhoneClient
import Foundation
import Reports

/// Reads the rows of a file that another process appends to: each once, when its line is whole.
package final class GrowingRows<Row: Report> {
  private let path: String
  private var consumed: UInt64 = 0

  package init(_ path: String) { self.path = path }

  /// The rows written since the last call; none while the file does not exist.
  package func next() -> [Row] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    guard (try? file.seek(toOffset: consumed)) != nil, let data = try? file.readToEnd() else { return [] }
    let bytes = [UInt8](data)
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    consumed += UInt64(end) + 1
    return Row.rows(in: bytes[..<end])
  }
}
