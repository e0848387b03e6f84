import DaemonRuntime
import Glibc

/// Reads the lines of one journal as they are there, and goes on where it stopped. A line without its end is not
/// given out: its writer may be in the middle of it, or was killed there.
final class JournalReader {
  let path: String
  /// Lines that are no records.
  private(set) var unreadableLines: [Int] = []
  private(set) var lineCount = 0
  private var offset: Int64 = 0
  private var partial: [UInt8] = []

  init(path: String) { self.path = path }

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// What is left of a line that was never ended.
  var tornLine: [UInt8]? { partial.isEmpty ? nil : partial }

  func readNew() throws(SystemError) -> [JournalLine] { take(try readBytes()) }

  /// The lines that these bytes end.
  func take(_ bytes: [UInt8]) -> [JournalLine] {
    partial += bytes
    var lines: [JournalLine] = []
    var start = partial.startIndex
    while let end = partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lineCount += 1
      if let line = JournalLine(number: lineCount, bytes: Array(partial[start..<end])) {
        lines.append(line)
      } else {
        unreadableLines.append(lineCount)
      }
      start = end + 1
    }
    partial.removeFirst(start)
    return lines
  }

  private func readBytes() throws(SystemError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw SystemError("open \(path)") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, Int(offset))
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw SystemError("read \(path)") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      offset += Int64(count)
    }
  }
}
