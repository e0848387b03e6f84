import Ground

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
  private(set) var disorder = (count: 0, first: 0)
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
  mutating func feed(_ piece: ArraySlice<UInt8>) {
    if let found = scan?.feed(piece) { pending += found }
  }

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
      if disorder.count == 0 { disorder.first = line }
      disorder.count += 1
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
