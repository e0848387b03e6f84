import Ground

/// The journal of one process start. It may be larger than memory, so it is read line by line, and only the parts
/// that the checks use are kept: most of it are channel states, backups, beats, presence messages.
final class JournalFile {
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
  private let limitNs: Int64?
  private let bootBeginNs: Int64
  private let visits: Visits

  private(set) var lastNs: Int64 = .min
  /// The last line is truncated, as after a kill.
  private(set) var endsTorn = false
  /// Lines that are no records: their number, and the first line.
  private(set) var unreadableLines = (count: 0, first: 0)
  /// The first line whose `seq` does not rise.
  private(set) var disorder: Int?
  /// The first line that was changed, or behind which some are missing.
  private(set) var changedLine: Int?
  /// The form of its cores' records that the judge reads; that of a core, if it has another.
  static let form: Int64 = 10
  private(set) var otherForm: Int64?
  private(set) var gaps: [JournalGap] = []
  private var ending: JournalGap?
  private(set) var secretHits: [SecretHit] = []
  /// Times of the records that announce writes of the node's state; sorted when all are read.
  private(set) var writesNs: [Int64] = []
  private var events: [String: [JournalRecord]] = [:]
  private var configurations: [String: [JSONValue]] = [:]
  /// The index of a claim's answer in the guard's events, by epoch.
  private var answers: [Int64: Int] = [:]
  /// Containers in which its process has claimed the node.
  private(set) var containers: Set<[UInt8]> = []

  /// Secrets are found by their offset in the file, and assigned to lines later.
  private var scan: SecretScan?
  private var pending: [SecretSearch.Hit] = []
  private var offset = 0
  private var line = 0
  private var next: Int64 = 1
  /// Without its body.
  private var last: JournalRecord?
  private var lastChecksum: String?
  private var hasChecksums = false
  private var isBeyondLimit = false
  private var guardsToKeep = 0

  /// Nil without a journal header. `bootBeginNs`: where the clock of its boot begins, as `start` has it already.
  init?(
    _ name: String, start: JournalRecord?, until limitNs: Int64?, bootBeginNs: Int64 = 0,
    _ search: SecretSearch? = nil, _ visits: Visits
  ) {
    guard let start, start.kind == "start", let process = start.body["process"]?.text,
      let pid = start.body["pid"]?.integer, let startTime = start.body["start_time"]?.integer,
      let boot = start.body["boot"]?.text
    else { return nil }
    self.name = name
    self.start = start
    self.process = process
    self.pid = pid
    self.startTime = startTime
    self.boot = boot
    self.limitNs = limitNs
    self.bootBeginNs = bootBeginNs
    self.visits = visits
    arguments = (start.body["arguments"]?.items ?? []).compactMap(\.text)
    scan = search.map(SecretScan.init)
  }

  func read(_ path: String) throws(EvidenceFile.Problem) {
    let isTorn = try EvidenceFile(path).readLines(piece: feed) { line in
      take(line)
      return true
    }
    finish(isTorn: isTorn)
  }

  /// From bytes in memory.
  convenience init?(path: String, bytes: [UInt8], until limitNs: Int64?) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    let rest = lines.popLast() ?? []
    let first = lines.lazy.compactMap { JournalRecord(file: path, line: 1, bytes: Array($0)) }.first
    self.init(path, start: first, until: limitNs, nil, Visits())
    for line in lines { take(line) }
    finish(isTorn: !rest.isEmpty)
  }

  var startedNs: Int64 { start.atNs }
  var lastWallNs: Int64 { last?.wallNs ?? .min }
  /// The last record is `end`; a killed process leaves none.
  var hasEnded: Bool { last?.kind == "end" }

  /// iosd writes a process's row when the process runs already. An iosd that is killed in between leaves no row, and no
  /// later line. `phones`: iosd's journals by their start.
  func beganAtAKill(of phones: [JournalFile]) -> Bool {
    guard let phone = phones.last(where: { $0.startedNs <= startedNs }) else { return false }
    return !phone.hasEnded && phone.lastNs <= startedNs
  }

  /// The events of a core; `guard` means `guard-app` and `guard-extension`.
  func events(of core: String) -> Rows<JournalRecord> { Rows(events[core] ?? [], visits) }

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
  func endInGap(_ gap: JournalGap) { ending = gap }

  /// Its process did more than it has lines for. False if the full disk of another journal explains that.
  func endTooEarly() -> Bool {
    guard ending == nil else { return false }
    ending = JournalGap(
      count: 0, line: .max, fromNs: lastNs, toNs: .max, fromWallNs: lastWallNs, toWallNs: .max, isNoted: false
    )
    return true
  }

  // MARK: Its lines

  /// Takes every byte, before the lines that the piece completes.
  private func feed(_ piece: ArraySlice<UInt8>) { if let found = scan?.feed(piece) { pending += found } }

  private func take(_ bytes: ArraySlice<UInt8>) {
    line += 1
    offset += bytes.count + 1
    var record = JournalRecord(file: name, line: line, bytes: Array(bytes))
    record?.move(by: bootBeginNs)
    if let record {
      checkOrder(of: record, bytes)
      take(record)
    } else if !bytes.isEmpty {
      if unreadableLines.count == 0 { unreadableLines.first = line }
      unreadableLines.count += 1
    }
    keepHits(before: offset, record)
  }

  /// The end of the file, with or without a truncated line.
  private func finish(isTorn: Bool) {
    endsTorn = isTorn
    keepHits(before: .max, nil)
    writesNs.sort()
  }

  private func keepHits(before end: Int, _ record: JournalRecord?) {
    guard !pending.isEmpty else { return }
    let count = pending.prefix { $0.offset < end }.count
    secretHits += pending.prefix(count).map { SecretHit(secret: $0.secret, record: record?.with(.null)) }
    pending.removeFirst(count)
  }

  /// Each record has the checksum of the one before. Journals made by hand have none, and no form of a core.
  private func checkOrder(of record: JournalRecord, _ bytes: ArraySlice<UInt8>) {
    let after = record.body["after"]?.text
    if after != nil || record.kind == "core" && record.body["form"] != nil { hasChecksums = true }
    if hasChecksums, after != lastChecksum { changedLine = changedLine ?? line }
    lastChecksum = Self.checksum(bytes)
  }

  /// FNV-1a, in hexadecimal.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
    var sum: UInt64 = 0xcbf2_9ce4_8422_2325
    bytes.withUnsafeBufferPointer { bytes in
      for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
    return Hexadecimal.encode(word: sum)
  }

  private func take(_ record: JournalRecord) {
    // The first line is kept regardless of the limit: it names the process. A later record may have an earlier time.
    if last != nil, let limitNs, record.atNs > limitNs { isBeyondLimit = true }
    guard !isBeyondLimit else { return }
    noteNumber(of: record)
    last = record.with(.null)
    lastNs = max(lastNs, record.atNs)
    guard let core = record.body["core"]?.text else { return }
    let kin = String(core.prefix { $0 != "-" })
    if record.kind == "core" {
      if let form = record.body["form"]?.integer, form != Self.form { otherForm = form }
      // For each of the peer's wallets its initial channel, for the phone whether it enforces its limits.
      let whole = record.body["configuration"]
      let kept = kin == "peer" ? whole?["state"]?["channel"]?["record"] : whole?["enforcesLimits"]
      if let kept { configurations[core, default: []].append(kept) }
    } else if record.kind == "event" {
      keep(record, of: kin)
    }
  }

  private func noteNumber(of record: JournalRecord) {
    guard let number = record.body["seq"]?.integer else { return }
    let (missing, overflowed) = number.subtractingReportingOverflow(next)
    if overflowed || missing < 0 {
      disorder = disorder ?? line
    } else if missing > 0 {
      gaps.append(
        JournalGap(
          count: missing, line: line, fromNs: last?.atNs ?? .min, toNs: record.atNs, fromWallNs: lastWallNs,
          toWallNs: record.wallNs, isNoted: record.body["lost_before"]?.integer == missing))
    }
    next = number &+ 1
  }

  // MARK: What is kept

  /// The events and directives of each core that the checks use.
  private static let kept: [String: (events: Set<String>, directives: Set<String>)] = [
    "guard": (
      ["claimed", "incomingStored"], ["claim", "raiseEpoch", "readReceived", "stopNode", "storeIncoming"]
    ),
    "incoming": (["removed", "notRemoved"], ["remove"]),
    "node": (
      ["spliceRequested"],
      ["write", "invoiceStored", "invoiceCancelled", "paymentOffered", "paymentEnded", "spliceEnded"]
    ),
    "phone": (
      ["serviceFinished", "processEnded"], ["tell", "suspend", "kill", "recordEnd", "recordFate", "show"]
    ),
  ]
  /// How many of the guard's events are kept after the order of a claim: as many as may answer the other orders of
  /// its line, and one more.
  private static let keptBehindRequest = 3

  private func keep(_ record: JournalRecord, of core: String) {
    guard let names = Self.kept[core] else { return }
    let isKept = record.event.isCase(in: names.events)
    let directives = record.directives.filter { $0.isCase(in: names.directives) }.compactMap(Self.reduced)
    if core == "guard" {
      let asks = directives.contains { $0["claim"] != nil || $0["raiseEpoch"] != nil }
      guardsToKeep = asks ? Self.keptBehindRequest + 1 : max(0, guardsToKeep - 1)
      note(record.event.payload("claimed"))
    } else if directives.contains(where: { $0["write"] != nil }) {
      writesNs.append(record.atNs)
    }
    guard isKept || !directives.isEmpty || core == "guard" && guardsToKeep > 0 else { return }
    let event = isKept ? record.event : record.event.nameAlone
    events[core, default: []].append(
      record.with(.members(["event": event, "directives": .array(directives)])))
  }

  private func note(_ claimed: JSONValue?) {
    guard let claimed, let epoch = claimed["epoch"]?.integer else { return }
    answers[epoch] = answers[epoch] ?? events["guard"]?.count ?? 0
    if let container = claimed["container"]?.sixteenBytes { containers.insert(container) }
  }

  /// Of a write that it was; of a push and a notification the push's number.
  private static func reduced(_ directive: JSONValue) -> JSONValue? {
    if directive["write"] != nil { return directive.nameAlone }
    if let tell = directive["tell"] {
      return tell["_1"]?["push"]?["id"].map {
        .members(["tell": .members(["to": tell["_0"] ?? .null, "push": $0])])
      }
    }
    guard let show = directive["show"] else { return directive }
    return show["_0"]?["push"].map { .members(["show": .members(["push": $0])]) }
  }
}

extension RandomAccessCollection where Index == Int {
  /// How many elements there are before the first for which it does not hold: then it holds for none behind.
  func countOfFirst(_ isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low - startIndex
  }
}

extension [Int64] {
  /// Only for sorted numbers.
  func countOfThose(upTo limit: Int64) -> Int { countOfFirst { $0 <= limit } }
}

/// One line of a journal, reduced to the parts that the checks use.
struct JournalRecord {
  /// The name of the journal.
  let file: String
  let line: Int
  private(set) var atNs: Int64
  let wallNs: Int64
  let kind: String
  private(set) var body: JSONValue

  init?(file: String, line: Int, bytes: [UInt8]) {
    guard !bytes.isEmpty, let body = JSONValue(parsing: bytes), let atNs = body["t"]?.integer,
      let wallNs = body["wall"]?.integer, let kind = body["kind"]?.text
    else { return nil }
    self.file = file
    self.line = line
    self.atNs = atNs
    self.wallNs = wallNs
    self.kind = kind
    self.body = body
  }

  mutating func move(by spanNs: Int64) { atNs &+= spanNs }

  func with(_ body: JSONValue) -> JournalRecord {
    var changed = self
    changed.body = body
    return changed
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
  static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { JSONMember(key: $0, value: $1) })
  }

  /// The name of an enum case with a payload.
  private var caseName: String? {
    guard case .object(let members) = self else { return nil }
    return members.first?.key
  }

  func isCase(in names: Set<String>) -> Bool { caseName.map(names.contains) ?? false }

  /// An enum case without its payload.
  var nameAlone: JSONValue { caseName.map { .members([$0: .object([])]) } ?? self }

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
