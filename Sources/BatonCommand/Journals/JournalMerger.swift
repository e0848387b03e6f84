import CoreShape
import DaemonRuntime
import Glibc
import Heartbeat

/// The journals of one phone as one story, in order of the clock that all its processes share.
final class JournalMerger {
  /// One record, and whose it is.
  struct Entry: Sendable {
    var process: String
    var pid: Int32
    var file: String
    var line: JournalLine
  }

  private struct Source {
    var reader: JournalReader
    var process: String
    var pid: Int32
    var startTime: UInt64
  }

  let directory: String
  private var sources: [Source] = []

  init(directory: String) { self.directory = directory }

  /// All records that came since the last call, the oldest first. Within one journal they stay in its order: that
  /// is the order in which they were written, whatever their instants say.
  func readNew() -> [Entry] {
    findNewFiles()
    var entries: [(entry: Entry, order: Instant)] = []
    for index in sources.indices {
      guard let lines = try? sources[index].reader.readNew() else { continue }
      var order = Instant(nanoseconds: .min)
      for line in lines {
        if line.header.kind == "start" { note(line.header, at: index) }
        order = max(order, line.at)
        let source = sources[index]
        entries.append(
          (Entry(process: source.process, pid: source.pid, file: source.reader.name, line: line), order))
      }
    }
    // Stable, so that records of one instant keep the order of their file.
    let sorted = entries.enumerated().sorted {
      ($0.element.order, $0.offset) < ($1.element.order, $1.offset)
    }
    return sorted.map(\.element.entry)
  }

  /// Journals with an unfinished last line.
  var tornFiles: [String] { sources.filter { $0.reader.tornLine != nil }.map(\.reader.name) }

  private func note(_ header: JournalLine.Header, at index: Int) {
    sources[index].process = header.process ?? sources[index].process
    sources[index].pid = header.pid ?? sources[index].pid
    sources[index].startTime = header.startTime ?? 0
  }

  private func findNewFiles() {
    let known = Set(sources.map(\.reader.name))
    for name in Self.files(in: directory) where !known.contains(name) {
      let (process, pid) = Self.nameParts(name)
      sources.append(
        Source(reader: JournalReader(path: "\(directory)/\(name)"), process: process, pid: pid, startTime: 0))
    }
  }

  /// Sorted, which is by their wall time.
  static func files(in directory: String) -> [String] {
    (DirectoryListing.names(of: directory) ?? []).filter { $0.hasSuffix(".jsonl") }
  }

  /// `20261120T191500-mainappd-4711.jsonl`, until its first record is there.
  static func nameParts(_ name: String) -> (process: String, pid: Int32) {
    let parts = name.dropLast(".jsonl".count).split(separator: "-")
    guard parts.count >= 3 else { return (name, 0) }
    return (String(parts[1]), Int32(parts[2]) ?? 0)
  }
}
