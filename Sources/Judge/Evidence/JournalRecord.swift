import JSON

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
