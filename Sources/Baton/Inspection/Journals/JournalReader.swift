import PhoneClient
import DaemonRuntime
import Glibc

/// Reads the lines of one journal as they are there, and goes on where it stopped. A line without its end is not
/// given out: its writer may be in the middle of it, or was killed there. However long the journal is, one piece of it
/// and one line are in memory.
package final class JournalReader {
  /// Longer than any line of a daemon.
  static let lineLimit = 16 << 20
  private static let pieceSize = 1 << 14

  package let path: String
  /// Lines that are no records: how many, and the number of the first.
  private(set) var unreadableCount = 0
  private(set) var firstUnreadable: Int?
  private(set) var lineCount = 0
  private var offset: Int64 = 0
  private var bytes: [UInt8] = []
  /// Where in the bytes the next line begins, and from where on its end is looked for.
  private var start = 0
  private var searched = 0

  /// What comes from elsewhere than a file is all there is.
  private let isWhole: Bool

  init(path: String) {
    self.path = path
    isWhole = false
  }

  init(name: String, bytes: [UInt8]) {
    path = name
    self.bytes = bytes
    isWhole = true
  }

  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// What is left of a line that was never ended.
  var tornLine: [UInt8]? { start < bytes.count ? Array(bytes[start...]) : nil }

  /// The next whole line that is a record; nil when there is no more for now.
  package func next() throws -> JournalLine? {
    while true {
      if let line = nextLine() {
        if let record = JournalLine(number: lineCount, bytes: line) { return record }
        unreadableCount += 1
        firstUnreadable = firstUnreadable ?? lineCount
        continue
      }
      guard bytes.count - start <= Self.lineLimit else {
        throw CommandFailure(
          .inputOutputError,
          "line \(lineCount + 1) of \(path.onOneLine) is longer than \(Self.lineLimit >> 20) MB: it is no journal; move it away"
        )
      }
      guard try readPiece() else { return nil }
    }
  }

  package func readNew() throws -> [JournalLine] {
    var lines: [JournalLine] = []
    while let line = try next() { lines.append(line) }
    return lines
  }

  private func append(_ more: ArraySlice<UInt8>) {
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += more
  }

  private func nextLine() -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      return nil
    }
    defer {
      start = end + 1
      searched = start
    }
    lineCount += 1
    return Array(bytes[start..<end])
  }

  private func readPiece() throws(SystemError) -> Bool {
    guard !isWhole else { return false }
    // Neither a pipe nor a device nor a link: it would hold us up, or has no end.
    let descriptor = try PlainFile.open(path, O_RDONLY)
    defer { close(descriptor) }
    var piece = [UInt8](repeating: 0, count: Self.pieceSize)
    while true {
      let count = pread(descriptor, &piece, piece.count, Int(offset))
      if count < 0 && errno == EINTR { continue }
      if count < 0 { throw SystemError("read \(path)") }
      if count == 0 { return false }
      append(piece[..<count])
      offset += Int64(count)
      return true
    }
  }
}
