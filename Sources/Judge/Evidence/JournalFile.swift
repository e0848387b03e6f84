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
  /// The first line whose `seq` does not rise.
  let disorder: Int?
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

/// Reads a journal line by line and collects the parts of a `JournalFile`.
struct JournalReading {
  let name: String
  private let limitNs: Int64?
  private let bootBeginNs: Int64
  /// Secrets are found by their offset in the file, and assigned to lines later.
  private var scan: SecretScan?
  private var pending: [SecretSearch.Hit] = []
  private var offset = 0

  private(set) var start: JournalRecord?
  private(set) var lastNs: Int64 = .min
  private(set) var lastWallNs: Int64 = .min
  private(set) var lastKind = ""
  private(set) var unreadable = (count: 0, first: 0)
  private(set) var disorder: Int?
  /// The first line that does not follow the one before it.
  private(set) var changedLine: Int?
  private(set) var gaps: [JournalGap] = []
  private(set) var secretHits: [JournalFile.SecretHit] = []
  private(set) var events: [String: [JournalRecord]] = [:]
  private(set) var configurations: [String: [JSONValue]] = [:]

  private var line = 0
  private var next: Int64 = 1
  private var last: JournalRecord?
  private var digest = JournalDigest()
  private var lastChecksum: String?
  private var hasChecksums = false
  private var isBeyondLimit = false

  init(path: String, until limitNs: Int64?, bootBeginNs: Int64 = 0, search: SecretSearch? = nil) {
    name = path.split(separator: "/").last.map(String.init) ?? path
    self.limitNs = limitNs
    self.bootBeginNs = bootBeginNs
    scan = search.map(SecretScan.init)
  }

  /// Takes every byte, before the lines that the piece completes.
  mutating func feed(_ piece: ArraySlice<UInt8>) { if let found = scan?.feed(piece) { pending += found } }

  mutating func take(_ bytes: ArraySlice<UInt8>) {
    line += 1
    let end = offset + bytes.count + 1
    let record =
      bytes.isEmpty
      ? nil : JournalRecord(file: name, line: line, bytes: Array(bytes), bootBeginNs: bootBeginNs)
    if record == nil, !bytes.isEmpty {
      if unreadable.count == 0 { unreadable.first = line }
      unreadable.count += 1
    }
    if let record {
      checkOrder(of: record, bytes)
      take(record)
    }
    keepHits(before: end, record)
    offset = end
  }

  /// Each record has the checksum of the one before. Journals made by hand have none, and no form of a core.
  private mutating func checkOrder(of record: JournalRecord, _ bytes: ArraySlice<UInt8>) {
    let after = record.body["after"]?.text
    if after != nil || record.kind == "core" && record.body["form"] != nil { hasChecksums = true }
    if hasChecksums, after != lastChecksum { changedLine = changedLine ?? line }
    lastChecksum = Self.checksum(bytes)
  }

  /// FNV-1a, in hexadecimal.
  static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    bytes.withUnsafeBufferPointer { bytes in
      for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return Hexadecimal.encode(word: sum)
  }

  /// The end of the file, with or without a truncated line.
  mutating func finish() { keepHits(before: .max, nil) }

  private mutating func keepHits(before end: Int, _ record: JournalRecord?) {
    guard !pending.isEmpty else { return }
    let count = pending.prefix { $0.offset < end }.count
    for hit in pending.prefix(count) {
      secretHits.append(JournalFile.SecretHit(secret: hit.secret, record: record?.replacingBody(.null)))
    }
    pending.removeFirst(count)
  }

  private mutating func take(_ record: JournalRecord) {
    // The first line is kept regardless of the limit: it names the process. A later record may have an earlier time.
    if start != nil, let limitNs, record.atNs > limitNs { isBeyondLimit = true }
    guard !isBeyondLimit else { return }
    noteNumber(of: record)
    start = start ?? record
    last = record.replacingBody(.null)
    lastNs = max(lastNs, record.atNs)
    lastWallNs = record.wallNs
    lastKind = record.kind
    guard let core = record.body["core"]?.text else { return }
    let kin = String(core.prefix { $0 != "-" })
    if record.kind == "core" {
      if let kept = JournalDigest.configuration(of: kin, record.body) {
        configurations[core, default: []].append(kept)
      }
    } else if record.kind == "event" {
      if let kept = digest.event(of: kin, record) { events[kin, default: []].append(kept) }
    }
  }

  private mutating func noteNumber(of record: JournalRecord) {
    guard let number = record.body["seq"]?.integer else { return }
    let (missing, overflowed) = number.subtractingReportingOverflow(next)
    if overflowed || missing < 0 {
      disorder = disorder ?? line
    } else if missing > 0 {
      gaps.append(
        JournalGap(
          count: missing, line: line, fromNs: last?.atNs ?? .min, toNs: record.atNs,
          fromWallNs: last?.wallNs ?? .min, toWallNs: record.wallNs,
          isNoted: record.body["lost_before"]?.integer == missing))
    }
    next = number &+ 1
  }
}

/// Reduces a journal record to the parts that the checks use. Most of a journal is not used: channel states,
/// backups, beats, presence messages.
struct JournalDigest {
  /// How many of the guard's events are kept after the order of a claim: as many as may answer the other orders of
  /// its line, and one more.
  private static let keptBehindRequest = 3
  private var guardsToKeep = 0

  /// For each of the peer's wallets its initial channel, for the phone whether it enforces its limits.
  static func configuration(of core: String, _ body: JSONValue) -> JSONValue? {
    let whole = body["configuration"]
    return switch core {
    case "peer": whole?["state"]?["channel"]?["record"]
    case "phone": whole?["enforcesLimits"]
    default: nil
    }
  }

  /// Nil if no check uses the record.
  mutating func event(of core: String, _ record: JournalRecord) -> JournalRecord? {
    switch core {
    case "guard": kept(record, record.event.only(["incomingStored"]), ["storeIncoming"]) ?? guardEvent(record)
    case "incoming": kept(record, record.event.only(["removed", "notRemoved"]), ["remove"])
    case "node":
      kept(
        record, record.event.only(["spliceRequested"]),
        ["write", "invoiceStored", "invoiceCancelled", "paymentOffered", "paymentEnded", "spliceEnded"])
    case "phone":
      kept(
        record, record.event.only(["serviceFinished", "processEnded"]),
        ["tell", "suspend", "kill", "recordFate", "show"])
    default: nil
    }
  }

  private func kept(_ record: JournalRecord, _ event: JSONValue?, _ words: Set<String>) -> JournalRecord? {
    let directives = record.directives.compactMap { directive -> JSONValue? in
      guard let word = directive.firstMember?.key, words.contains(word) else { return nil }
      return switch word {
      case "write": directive.nameAlone
      case "tell": Self.push(directive)
      case "show": directive.payload("show")?["push"].map { .members([("show", .members([("push", $0)]))]) }
      default: directive
      }
    }
    guard event != nil || !directives.isEmpty else { return nil }
    return record.replacingBody(.members([("event", event ?? .null), ("directives", .array(directives))]))
  }

  // MARK: The wallet

  private mutating func guardEvent(_ record: JournalRecord) -> JournalRecord? {
    let words: Set = ["claim", "raiseEpoch", "readReceived", "stopNode"]
    let directives = record.directives.filter { $0.firstMember.map { words.contains($0.key) } ?? false }
    let asks = directives.contains { $0["claim"] != nil || $0["raiseEpoch"] != nil }
    let isAnswer = record.event["claimed"] != nil
    if asks { guardsToKeep = Self.keptBehindRequest + 1 }
    defer { guardsToKeep = max(0, guardsToKeep - 1) }
    guard asks || isAnswer || guardsToKeep > 0 else { return nil }
    let event = asks || isAnswer ? record.event : record.event.nameAlone
    return record.replacingBody(.members([("event", event), ("directives", .array(directives))]))
  }

  // MARK: The phone

  private static func push(_ directive: JSONValue) -> JSONValue? {
    guard let push = directive["tell"]?["_1"]?["push"] else { return nil }
    return .members([
      (
        "tell",
        .members([
          ("_0", directive["tell"]?["_0"]), ("_1", .members([("push", .members([("id", push["id"])]))])),
        ])
      )
    ])
  }
}

extension JSONValue {
  /// An object of the members with a value.
  static func members(_ members: [(String, JSONValue?)]) -> JSONValue {
    .object(members.compactMap { key, value in value.map { JSONMember(key: key, value: $0) } })
  }

  var firstMember: JSONMember? {
    guard case .object(let members) = self else { return nil }
    return members.first
  }

  /// An enum case without its payload.
  var nameAlone: JSONValue {
    guard let name = firstMember?.key else { return self }
    return .object([JSONMember(key: name, value: .object([]))])
  }

  /// The enum case, if it has one of these names.
  func only(_ names: Set<String>) -> JSONValue? {
    firstMember.map { names.contains($0.key) } == true ? self : nil
  }
}

/// One line of a journal, reduced to the parts that the checks use.
struct JournalRecord {
  /// The name of the journal.
  let file: String
  let line: Int
  let atNs: Int64
  let wallNs: Int64
  let kind: String
  let body: JSONValue

  /// `bootBeginNs`: where the clock of the process's boot begins.
  init?(file: String, line: Int, bytes: [UInt8], bootBeginNs: Int64 = 0) {
    guard let body = JSONValue(parsing: bytes), let atNs = body["t"]?.integer,
      let wallNs = body["wall"]?.integer, let kind = body["kind"]?.text
    else { return nil }
    self.init(file: file, line: line, atNs: atNs &+ bootBeginNs, wallNs: wallNs, kind: kind, body: body)
  }

  private init(file: String, line: Int, atNs: Int64, wallNs: Int64, kind: String, body: JSONValue) {
    self.file = file
    self.line = line
    self.atNs = atNs
    self.wallNs = wallNs
    self.kind = kind
    self.body = body
  }

  func replacingBody(_ body: JSONValue) -> JournalRecord {
    JournalRecord(file: file, line: line, atNs: atNs, wallNs: wallNs, kind: kind, body: body)
  }

  var row: EvidenceRow { .journal(file, line: line) }
  var event: JSONValue { body["event"] ?? .null }
  var directives: [JSONValue] { body["directives"]?.items ?? [] }
}

/// Lines missing between two lines of a journal, or before its first.
struct JournalGap {
  let count: Int64
  /// The line after the gap.
  let line: Int
  let fromNs: Int64
  let toNs: Int64
  let fromWallNs: Int64
  let toWallNs: Int64
  /// That line notes that its process could not write them. Lines missing without a note were removed.
  let isNoted: Bool

  /// Whether a missing line may announce an event with this stamp.
  func mayAnnounce(_ stampNs: Int64) -> Bool {
    fromNs <= stampNs && toNs >= stampNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }

  /// The same by the wall clock, which may be set in between.
  func mayAnnounce(wallNs: Int64) -> Bool {
    fromWallNs <= wallNs.addingReportingOverflow(stepSlackNs).partialValue
      && toWallNs >= wallNs.subtractingReportingOverflow(stepSlackNs).partialValue
  }
}

/// Whether two stamps are close, for any numbers.
func isNear(_ one: Int64, _ other: Int64, withinNs limit: Int64) -> Bool {
  let (difference, overflowed) = one.subtractingReportingOverflow(other)
  return !overflowed && difference.magnitude <= limit.magnitude
}

/// A write follows the journal line that announces it within this time.
let stepSlackNs: Int64 = 5_000_000_000

// Accessors for journal lines and rows.
extension JSONValue {
  /// The payload of a synthesised enum case with one unlabelled value.
  func payload(_ name: String) -> JSONValue? { self[name]?["_0"] }

  var items: [JSONValue] { elements ?? [] }
  var isTrue: Bool { flag == true }

  /// Unsigned numbers above `Int64.max` come back as their bit pattern, as the databases store them.
  var integer: Int64? { int ?? uint.map { Int64(bitPattern: $0) } }

  /// 16 bytes written as two numbers.
  var sixteenBytes: [UInt8]? {
    guard let high = self["high"]?.integer, let low = self["low"]?.integer else { return nil }
    return [high, low].flatMap { half in
      stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: half >> $0) }
    }
  }
}
