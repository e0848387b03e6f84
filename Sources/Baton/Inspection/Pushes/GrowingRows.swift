import DaemonRuntime
import Glibc
import PhonePolicy

/// Reads the rows of a file that another process appends to: each once, when its line is whole.
package final class GrowingRows<Row: Report> {
  private let path: String
  private var consumed = 0

  package init(_ path: String) { self.path = path }

  /// The rows written since the last call; none while there is no such file. A pipe in its place would block for ever.
  package func next() -> [Row] {
    guard let descriptor = try? PlainFile.open(path, O_RDONLY) else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: max(0, lseek(descriptor, 0, SEEK_END) - consumed))
    let count = pread(descriptor, &bytes, bytes.count, consumed)
    guard let end = bytes[..<max(0, count)].lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    consumed += end + 1
    return Row.rows(in: bytes[..<end])
  }
}
