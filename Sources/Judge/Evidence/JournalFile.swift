import Ground

/// The journal of one process start. It may be larger than memory, so it is read line by line, and only the parts
/// that the checks use are kept.
struct JournalFile {
  /// A secret found in it.
  struct SecretHit {
    let secret: Int
    /// The record of the line; nil if the line is no record.
    let record: JournalRecord?
  }

  let name: String
  let start: JournalRecord
  let process: String
  let pid: Int64
  let startTime: Int64
  let boot: String
  /// The command line of its process.
  let arguments: [String]
  /// The last record is `end`; a killed process leaves none.
  let hasEnded: Bool
  let lastNs: Int64
  let lastWallNs: Int64
  /// The last line is truncated, as after a kill.
  let endsTorn: Bool
  /// Lines that are no records: their number, and the first line.
  let unreadableLines: (count: Int, first: Int)
  /// Lines whose `seq` does not rise: their number, and the first line.
  let disorder: (count: Int, first: Int)
  /// The first line that was changed, or behind which some are missing.
  let changedLine: Int?
  let gaps: [JournalGap]
  private var ending: JournalGap?
  let secretHits: [SecretHit]
  /// Times of the records that announce writes of the node's state, sorted.
  let writesNs: [Int64]
  private let events: [String: Rows<JournalRecord>]
  private let configurations: [String: [JSONValue]]
  /// The index of a claim's answer in the guard's events, by epoch.
  private let answers: [Int64: Int]
  /// Containers in which its process has claimed the node.
  let containers: Set<[UInt8]>

  /// Nil without a journal header.
  init?(_ reading: JournalReading, endsTorn: Bool, _ visits: Visits) {
    guard let start = reading.start, start.kind == "start", let process = start.body["process"]?.text,
      let pid = start.body["pid"]?.integer, let startTime = start.body["start_time"]?.integer,
      let boot = start.body["boot"]?.text
    else { return nil }
    self.start = start
    self.process = process
    self.pid = pid
    self.startTime = startTime
    self.boot = boot
    self.endsTorn = endsTorn
    name = reading.name
    arguments = (start.body["arguments"]?.items ?? []).compactMap(\.text)
    hasEnded = reading.lastKind == "end"
    lastNs = reading.lastNs
    lastWallNs = reading.lastWallNs
    changedLine = reading.changedLine
    unreadableLines = reading.unreadable
    disorder = reading.disorder
    gaps = reading.gaps
    secretHits = reading.secretHits
    configurations = reading.configurations
    events = reading.events.mapValues { Rows($0, visits) }
    var answers: [Int64: Int] = [:]
    var containers: Set<[UInt8]> = []
    for (place, record) in (reading.events["guard"] ?? []).enumerated() {
      guard let epoch = record.event.payload("claimed")?["epoch"]?.integer else { continue }
      answers[epoch] = answers[epoch] ?? place
      if let container = record.event.payload("claimed")?["container"]?.sixteenBytes {
        containers.insert(container)
      }
    }
    self.answers = answers
    self.containers = containers
    writesNs = (reading.events["node"] ?? []).filter { $0.directives.contains { $0["write"] != nil } }
      .map(\.atNs).sorted()
  }

  /// From bytes in memory.
  init?(path: String, bytes: [UInt8], until limitNs: Int64?) {
    var reading = JournalReading(path: path, until: limitNs)
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let rest = lines.popLast() ?? []
    for line in lines { reading.take(line) }
    self.init(reading, endsTorn: !rest.isEmpty, Visits())
  }

  var startedNs: Int64 { start.atNs }

  /// The events of a core; `guard` means `guard-app` and `guard-extension`.
  func events(of core: String) -> Rows<JournalRecord> { events[core] ?? Rows([], Visits()) }

  func configurations(of core: String) -> [JSONValue] { configurations[core] ?? [] }

  var answeredEpochs: [Int64] { Array(answers.keys) }

  func placeOfAnswer(to epoch: Int64) -> Int? { answers[epoch] }

  /// How many writes its process has announced by then; each missing line may have announced one.
  func announcedWrites(upTo stampNs: Int64) -> Int64 {
    gaps.reduce(Int64(writesNs.countOfThose(upTo: stampNs))) { $1.fromNs <= stampNs ? $0 &+ $1.count : $0 }
  }

  /// Whether the record of an event at this time may be among the missing lines.
  func mayLack(_ stampNs: Int64) -> Bool {
    gaps.contains { $0.mayAnnounce(stampNs) } || ending?.mayAnnounce(stampNs) == true && stampNs > lastNs
  }

  func mayLack(wallNs: Int64) -> Bool {
    gaps.contains { $0.mayAnnounce(wallNs: wallNs) } || ending?.mayAnnounce(wallNs: wallNs) == true
  }

  var hasGaps: Bool { !gaps.isEmpty || ending != nil }

  func hasGap(fromLine first: Int, to last: Int) -> Bool {
    gaps.contains { first < $0.line && $0.line <= last }
  }

  /// It has no end, and another journal notes a full disk at that time: its last lines may be lost too.
  mutating func endInGap(_ gap: JournalGap) { ending = gap }

  /// Its process did more than it has lines for. False if the full disk of another journal explains that.
  mutating func endTooEarly() -> Bool {
    guard ending == nil else { return false }
    ending = JournalGap(
      count: 0, line: .max, fromNs: lastNs, toNs: .max, fromWallNs: lastWallNs, toWallNs: .max, isNoted: false
    )
    return true
  }
}

extension [Int64] {
  /// Only for sorted numbers.
  func countOfThose(upTo limit: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] <= limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
