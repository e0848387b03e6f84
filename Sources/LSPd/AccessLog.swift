import DaemonRuntime
import Glibc
import PhonePolicy

/// One line for each request over HTTP, written before its answer is sent. A kill of lspd loses none.
///
/// Any user of the machine may ask, so the file is bounded: a full one becomes `access.jsonl.1`, in place of the one
/// before.
final class AccessLog {
  private static let bytesMax = 16 * 1024 * 1024
  /// More than a question has; a request of 64 KiB shall not be 64 KiB here.
  static let targetBytesMax = 300

  private let path: String
  private var descriptor: Int32
  private var lines: LineWriter
  private var bytes: Int

  init(path: String) throws(SystemError) {
    self.path = path
    descriptor = try Self.open(path)
    lines = LineWriter(appendingTo: descriptor)
    bytes = Int(lseek(descriptor, 0, SEEK_END))
  }

  deinit { close(descriptor) }

  private static func open(_ path: String) throws(SystemError) -> Int32 {
    try PlainFile.open(path, O_RDWR | O_APPEND | O_CREAT)
  }

  /// False if the line could not be written.
  func append(_ row: AccessRow) -> Bool {
    if bytes >= Self.bytesMax { turnPage() }
    let line = row.json
    guard lines.append(line) else { return false }
    bytes += line.utf8.count + 1
    return true
  }

  private func turnPage() {
    guard rename(path, "\(path).1") == 0, let next = try? Self.open(path) else { return }
    close(descriptor)
    descriptor = next
    lines = LineWriter(appendingTo: next)
    bytes = 0
  }
}
