import Ground

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
