import JSON

/// The journal of one process start: what that process saw and decided, in its own words. Read line by line, and kept
/// of it is what the checks ask for: it may be far longer than memory.
struct JournalFile {
  /// A secret that stands in it.
  struct SecretHit {
    let secret: Int
    /// Of the line; nil if that is no record.
    let record: JournalRecord?
  }

  let name: String
  let start: JournalRecord
  let process: String
  let pid: Int64
  let startTime: Int64
  let boot: String
  /// With which its process was started.
  let arguments: [String]
  /// Whether the process said goodbye; one that was killed did not.
  let hasEnded: Bool
  let lastNs: Int64
  /// Half a line at the end is what a killed process leaves behind.
  let endsTorn: Bool
  /// Lines that are no records: how many, and the number of the first.
  let unreadableLines: (count: Int, first: Int)
  /// Lines whose numbers do not rise: how many, and the number of the first.
  let disorder: (count: Int, first: Int)
  let gaps: [JournalGap]
  private var ending: JournalGap?
  let secretHits: [SecretHit]
  /// When it announced writes of the node's state, in order.
  let writesNs: [Int64]
  private let events: [String: Rows<JournalRecord>]
  private let configurations: [String: [JSONValue]]
  /// Where in the guard's events a claim is answered, by its epoch.
  private let answers: [Int64: Int]
  /// In which its process has claimed the node.
  let containers: Set<[UInt8]>

  /// Nil when it does not start as a journal does.
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

  /// From bytes that are there already.
  init?(path: String, bytes: [UInt8], until limitNs: Int64?) {
    var reading = JournalReading(path: path, until: limitNs)
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let rest = lines.popLast() ?? []
    for line in lines { reading.take(line) }
    self.init(reading, endsTorn: !rest.isEmpty, Visits())
  }

  var startedNs: Int64 { start.atNs }

  /// Of a core, or of its two kinds: `guard` is `guard-app` and `guard-extension`.
  func events(of core: String) -> Rows<JournalRecord> { events[core] ?? Rows([], Visits()) }

  func configurations(of core: String) -> [JSONValue] { configurations[core] ?? [] }

  var answeredEpochs: [Int64] { Array(answers.keys) }

  func placeOfAnswer(to epoch: Int64) -> Int? { answers[epoch] }

  /// Whether it announces a write that carries this stamp.
  func announcesWrite(_ stampNs: Int64) -> Bool {
    let place = writesNs.countOfThose(upTo: stampNs)
    return place > 0 && isNear(writesNs[place - 1], stampNs, withinNs: stepSlackNs)
  }

  /// Whether what announced something at this time may be among the lines that it lacks.
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

  /// It ends without a word, and another journal says that then the disk was full: its last lines may be lost as
  /// well.
  mutating func endInGap(_ gap: JournalGap) { ending = gap }
}

extension [Int64] {
  /// Of sorted numbers.
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
