import Ground
import DaemonRuntime
import Glibc

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
    var startTime: UInt64
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
    sources[index].startTime = header.startTime ?? 0
  }

  private func findNewFiles() {
    let known = Set(sources.map(\.reader.name))
    for name in FilePath.journals(in: directory) where !known.contains(name) {
      let (process, pid) = Self.nameParts(name)
      sources.append(
        Source(reader: JournalReader(path: "\(directory)/\(name)"), process: process, pid: pid, startTime: 0))
    }
  }

  /// Process and pid from a name such as `20261120T191500-mainappd-4711.jsonl`, until the first record is read.
  static func nameParts(_ name: String) -> (process: String, pid: Int32) {
    let parts = name.dropLast(".jsonl".count).split(separator: "-")
    guard parts.count >= 3 else { return (name, 0) }
    return (String(parts[1]), Int32(parts[2]) ?? 0)
  }
}
