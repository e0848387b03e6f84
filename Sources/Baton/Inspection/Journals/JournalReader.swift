import DaemonRuntime
import Glibc
import Ground

/// Reads the whole lines of one journal, and continues where it stopped. A line without a newline is not returned:
/// its process is still writing it, or was killed while writing. Keeps one piece and one line in memory. A journal of
/// another form is refused.
package final class JournalReader {
  /// Longer than any line of a daemon.
  static let lineLimit = 16 << 20
  private static let pieceSize = 1 << 14

  package let path: String
  /// The number of the first line that is no record.
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
        firstUnreadable = firstUnreadable ?? lineCount
        continue
      }
      try require(
        bytes.count - start <= Self.lineLimit, .inputOutputError,
        "line \(lineCount + 1) of \(path.onOneLine) is longer than \(Self.lineLimit >> 20) MB, so it is not a journal; move the file away"
      )
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

/// One whole line of a journal: the members that every record has, and the line's bytes.
package struct JournalLine: Sendable {
  /// The members that are read without knowing the core.
  package struct Header: Sendable {
    var seq: UInt64
    var t: Int64
    package var wall: Int64
    package var kind: String
    var lostBefore: UInt64?
    package var core: String?
    /// See `JournalForm`.
    package var form: Int?
    package var process: String?
    package var pid: Int32?
    package var text: String?
    package var reason: String?

    /// The name of the core's kind: a program with several of one kind numbers them, as in `peer-2`.
    package var coreKind: String? {
      guard let core, let hyphen = core.lastIndex(of: "-") else { return core }
      let number = core[core.index(after: hyphen)...]
      return !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
        ? String(core[..<hyphen]) : core
    }

    /// Nil without the members that every record has.
    fileprivate init?(_ record: JSONValue) {
      guard let seq = record["seq"]?.uint, let t = record["t"]?.int, let wall = record["wall"]?.int,
        let kind = record["kind"]?.text
      else { return nil }
      (self.seq, self.t, self.wall, self.kind) = (seq, t, wall, kind)
      lostBefore = record["lost_before"]?.uint
      core = record["core"]?.text
      form = record["form"]?.int.map { Int($0) }
      process = record["process"]?.text
      pid = record["pid"]?.int.flatMap { Int32(exactly: $0) }
      text = record["text"]?.text
      reason = record["reason"]?.text
    }
  }

  /// Counted from 1.
  package var number: Int
  package var header: Header
  package var bytes: [UInt8]
  let value: JSONValue

  package var at: Instant { Instant(nanoseconds: header.t) }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Nil if the line is not a record.
  init?(number: Int, bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes), let header = Header(value) else { return nil }
    self.number = number
    self.header = header
    self.bytes = bytes
    self.value = value
  }
}

/// Merges the journals of one phone by the monotonic clock that all its processes share. Keeps one line of each
/// journal in memory.
package final class JournalMerger {
  /// One record and the process that wrote it.
  package struct Entry: Sendable {
    package var process: String
    package var pid: Int32
    package var file: String
    package var line: JournalLine
  }

  private struct Source {
    var reader: JournalReader
    var process: String
    var pid: Int32
    /// The next line and its position in the merged order: never before the earlier lines of its journal.
    var line: JournalLine?
    var order = Instant(nanoseconds: .min)
    /// How many lines since the skipped ones; nil before.
    var sinceSkipped: Int?
  }

  package let directory: String
  /// Journals that cannot be read, each with the reason.
  package private(set) var problems: [String] = []
  private var sources: [Source] = []
  private var unread: Set<String> = []
  /// The bytes at the end of each journal that are read, behind its first two lines; nil: all.
  private let tail: Int?
  /// The first record of the phone.
  package private(set) var start: Instant?
  /// Records before this are incomplete, as only the ends of the journals are read; nil if nothing was skipped.
  private var wholeSince: Instant?
  /// A claim and its reason are fewer records apart.
  private static let linesBeforeWhole = 8

  package init(directory: String, tail: Int? = nil) {
    self.directory = directory
    self.tail = tail
  }

  /// Reads the ends of the journals, and longer ones until these records are enough. `take` gets all records each time;
  /// those that are not whole explain the others.
  package static func newest(
    in directory: String, isEnough take: (JournalMerger, [Entry]) -> Bool
  ) -> JournalMerger {
    var tail = 1 << 14
    while true {
      let merger = JournalMerger(directory: directory, tail: tail)
      let entries = merger.readNew()
      // The end of each journal has more lines than those that explain.
      let isRead = merger.sources.allSatisfy { $0.sinceSkipped.map { $0 >= linesBeforeWhole } ?? true }
      if isRead, take(merger, entries) || merger.wholeSince == nil {
        merger.wholeSince = nil
        return merger
      }
      tail *= 8
    }
  }

  /// Whether no record is missing from this one on.
  package func isWhole(_ entry: Entry) -> Bool { wholeSince.map { $0 <= entry.line.at } ?? true }

  /// The records written since the last call, the oldest first, at most `count`. Records of one journal keep their order
  /// in the file, even where their instants disagree with it.
  package func readNew(atMost count: Int = .max) -> [Entry] {
    findNewFiles()
    for index in sources.indices where sources[index].line == nil { advance(index) }
    // Journals that have a line; the one with the earliest line is last.
    var waiting = sources.indices.filter { sources[$0].line != nil }.sorted(by: isLater)
    var entries: [Entry] = []
    while entries.count < count, let index = waiting.popLast(), let line = sources[index].line {
      let source = sources[index]
      entries.append(Entry(process: source.process, pid: source.pid, file: source.reader.name, line: line))
      sources[index].line = nil
      advance(index)
      guard sources[index].line != nil else { continue }
      waiting.insert(index, at: place(of: index, in: waiting))
    }
    return entries
  }

  /// The index after all journals with later lines; most often the end, as the next line is of the same journal.
  private func place(of index: Int, in waiting: [Int]) -> Int {
    guard let last = waiting.last, !isLater(last, index) else { return waiting.count }
    var low = 0
    var high = waiting.count
    while low < high {
      let middle = (low + high) / 2
      if isLater(waiting[middle], index) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Orders two journals that have a line; at equal instants the first in the directory comes first.
  private func isLater(_ one: Int, _ other: Int) -> Bool {
    (sources[one].order, one) > (sources[other].order, other)
  }

  /// The newest record that was read.
  var end: Instant? { sources.map(\.order).max() }

  /// Journals with an unfinished last line.
  var tornFiles: [String] {
    sources.filter { $0.reader.tornLine != nil && !unread.contains($0.reader.name) }.map(\.reader.name)
  }

  private func advance(_ index: Int) {
    let source = sources[index]
    guard !unread.contains(source.reader.name) else { return }
    do {
      let isAtBeginning = source.reader.lineCount == 0
      guard let line = try source.reader.next() else { return }
      if isAtBeginning { start = min(start ?? line.at, line.at) }
      sources[index].line = line
      sources[index].order = max(source.order, line.at)
      if line.header.kind == "start" { note(line.header, at: index) }
      try follow(line, at: index)
    } catch {
      unread.insert(source.reader.name)
      problems.append(CommandFailure(error).sentence)
    }
  }

  /// The second line is the first of a core, which has the journal's form.
  private func follow(_ line: JournalLine, at index: Int) throws(SystemError) {
    guard let tail else { return }
    if let count = sources[index].sinceSkipped {
      if count < Self.linesBeforeWhole { wholeSince = max(wholeSince ?? line.at, line.at) }
      sources[index].sinceSkipped = count + 1
    } else if sources[index].reader.lineCount == 2, try sources[index].reader.skip(toLast: tail) {
      sources[index].sinceSkipped = 0
    }
  }

  private func note(_ header: JournalLine.Header, at index: Int) {
    sources[index].process = header.process ?? sources[index].process
    sources[index].pid = header.pid ?? sources[index].pid
  }

  private func findNewFiles() {
    let known = Set(sources.map(\.reader.name))
    for name in FilePath.journals(in: directory) where !known.contains(name) {
      let (process, pid) = Self.nameParts(name)
      sources.append(
        Source(reader: JournalReader(path: "\(directory)/\(name)"), process: process, pid: pid))
    }
  }

  /// Process and pid from a name such as `20261120T191500-mainappd-4711.jsonl`, until the first record is read.
  static func nameParts(_ name: String) -> (process: String, pid: Int32) {
    let parts = name.dropLast(".jsonl".count).split(separator: "-")
    guard parts.count >= 3 else { return (name, 0) }
    return (String(parts[1]), Int32(parts[2]) ?? 0)
  }
}
