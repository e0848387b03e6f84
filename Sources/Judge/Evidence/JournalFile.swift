import Foundation

/// The journal of one process start: what that process saw and decided, in its own words.
struct JournalFile {
  let name: String
  let path: String
  let process: String
  let pid: Int64
  let startTime: Int64
  let boot: String
  let startedNs: Int64
  /// With which its process was started.
  let arguments: [String]
  let records: [JournalRecord]
  /// Whether the process said goodbye; one that was killed did not.
  let hasEnded: Bool
  /// Half a line at the end is what a killed process leaves behind.
  let endsTorn: Bool
  /// Lines in the middle that are no records, by number.
  let unreadableLines: [Int]
  let bytes: [UInt8]
  /// By the name of the core, and by the part of it before the dash: asked for once for each row of a database.
  private let events: [String: [JournalRecord]]
  /// Where each line lies, by its number less one.
  private let lines: [Range<Int>]

  /// Nil when it does not start as a journal does.
  init?(path: String, until limitNs: Int64?) {
    guard let data = FileManager.default.contents(atPath: path) else { return nil }
    self.init(path: path, bytes: [UInt8](data), until: limitNs)
  }

  init?(path: String, bytes: [UInt8], until limitNs: Int64?) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    // What is behind the last newline was never finished.
    let rest = lines.popLast() ?? []
    var records: [JournalRecord] = []
    var unreadable: [Int] = []
    for (index, line) in lines.enumerated() where !line.isEmpty {
      guard let record = JournalRecord(file: path, line: index + 1, bytes: Array(line)) else {
        unreadable.append(index + 1)
        continue
      }
      records.append(record)
    }
    guard let start = records.first, start.kind == "start", let process = start.body["process"]?.text,
      let pid = start.body["pid"]?.integer, let startTime = start.body["start_time"]?.integer,
      let boot = start.body["boot"]?.text
    else { return nil }
    startedNs = start.atNs
    arguments = (start.body["arguments"]?.items ?? []).compactMap(\.text)
    self.bytes = bytes
    self.lines = lines.map(\.indices)
    // The first line stays, whatever the limit: it says whose journal this is.
    if let limitNs { records = [start] + records.dropFirst().filter { $0.atNs <= limitNs } }
    self.name = (path as NSString).lastPathComponent
    self.path = path
    self.process = process
    self.pid = pid
    self.startTime = startTime
    self.boot = boot
    self.records = records
    var events: [String: [JournalRecord]] = [:]
    for record in records where record.kind == "event" {
      guard let core = record.body["core"]?.text else { continue }
      events[core, default: []].append(record)
      let kin = core.prefix { $0 != "-" }
      if kin.count < core.count { events[String(kin), default: []].append(record) }
    }
    self.events = events
    hasEnded = records.last?.kind == "end"
    endsTorn = !rest.isEmpty
    unreadableLines = unreadable
  }

  /// The record in whose line this byte stands.
  func record(atByte offset: Int) -> JournalRecord? {
    guard let line = lines.firstIndex(where: { $0.contains(offset) }) else { return nil }
    return records.first { $0.line == line + 1 }
  }

  /// Whether no record is missing.
  var isComplete: Bool {
    unreadableLines.isEmpty
      && records.enumerated().allSatisfy { $1.body["seq"]?.integer == Int64($0) + 1 }
  }

  /// Of a core, or of its two kinds: `guard` is `guard-app` and `guard-extension`.
  func events(of core: String) -> [JournalRecord] { events[core] ?? [] }

  func configurations(of core: String) -> [JSONValue] {
    records.filter { $0.kind == "core" && $0.body["core"]?.text == core }.compactMap {
      $0.body["configuration"]
    }
  }
}

struct JournalRecord {
  let line: Int
  let atNs: Int64
  let wallNs: Int64
  let kind: String
  let body: JSONValue
  let evidence: String

  init?(file: String, line: Int, bytes: [UInt8]) {
    guard let body = JSONParser.parse(bytes), let atNs = body["t"]?.integer,
      let wallNs = body["wall"]?.integer, let kind = body["kind"]?.text
    else { return nil }
    self.line = line
    self.atNs = atNs
    self.wallNs = wallNs
    self.kind = kind
    self.body = body
    evidence = "journal \((file as NSString).lastPathComponent) line \(line)"
  }

  var event: JSONValue { body["event"] ?? .null }
  var directives: [JSONValue] { body["directives"]?.items ?? [] }
}
