import DaemonRuntime
import Glibc

/// Reads the whole lines of one journal, and continues where it stopped. A line without a newline is not returned:
/// its process is still writing it, or was killed while writing. Keeps one piece and one line in memory. A journal of
/// another form is refused.
package final class JournalReader {
  /// Longer than any line of a daemon.
  static let lineLimit = 16 << 20
  private static let pieceSize = 1 << 14

  package let path: String
  /// How many lines are not records, and the number of the first.
  private(set) var unreadableCount = 0
  private(set) var firstUnreadable: Int?
  private(set) var lineCount = 0
  private var offset: Int64 = 0
  private var bytes: [UInt8] = []
  /// Where in `bytes` the next line begins, and where the search for its end continues.
  private var start = 0
  private var searched = 0
  /// The next line lacks its beginning.
  private var isInLine = false

  /// The bytes were passed in: there is no file to read more from.
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

  /// The last line, if it has no newline.
  var tornLine: [UInt8]? { start < bytes.count ? Array(bytes[start...]) : nil }

  /// The next whole line that is a record; nil when there is no more for now.
  package func next() throws -> JournalLine? {
    while true {
      if let line = nextLine() {
        if isInLine {
          isInLine = false
          continue
        }
        if let record = JournalLine(number: lineCount, bytes: line) {
          try check(record)
          return record
        }
        unreadableCount += 1
        firstUnreadable = firstUnreadable ?? lineCount
        continue
      }
      guard bytes.count - start <= Self.lineLimit else {
        throw CommandFailure(
          .inputOutputError,
          "line \(lineCount + 1) of \(path.onOneLine) is longer than \(Self.lineLimit >> 20) MB, so it is not a journal; move the file away"
        )
      }
      guard try readPiece() else { return nil }
    }
  }

  private func check(_ record: JournalLine) throws(CommandFailure) {
    guard let form = record.header.form, form != JournalForm.current else { return }
    throw CommandFailure(
      .inputOutputError,
      "\(path.onOneLine) is a journal of form \(form), and this program reads form \(JournalForm.current); read it with the version of Baton that wrote it"
    )
  }

  /// Goes on in the last `count` bytes of the file, if more are left: false if none are skipped. The numbers of the lines
  /// are not known from there on.
  func skip(toLast count: Int) throws(SystemError) -> Bool {
    guard !isWhole else { return false }
    var facts = stat()
    guard stat(path, &facts) == 0 else { throw SystemError("read \(path)") }
    // From one byte before: it may end a line.
    let place = Int64(facts.st_size - count - 1)
    guard place > offset else { return false }
    offset = place
    (bytes, start, searched, isInLine) = ([], 0, 0, true)
    return true
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
    // A regular file only: a pipe blocks, and a device may have no end.
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
