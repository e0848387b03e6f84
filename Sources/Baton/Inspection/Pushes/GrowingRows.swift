import DaemonRuntime
import Foundation
import Glibc
import PhonePolicy

/// Reads the rows of a file that another process appends to: each once, when its line is whole.
package final class GrowingRows<Row: Report> {
  private let path: String
  private var consumed: UInt64 = 0

  package init(_ path: String) { self.path = path }

  /// The rows written since the last call; none while there is no such file. A pipe in its place would block for ever.
  package func next() -> [Row] {
    guard let descriptor = try? PlainFile.open(path, O_RDONLY) else { return [] }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard (try? file.seek(toOffset: consumed)) != nil, let data = try? file.readToEnd() else { return [] }
    let bytes = [UInt8](data)
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    consumed += UInt64(end) + 1
    return Row.rows(in: bytes[..<end])
  }
}
