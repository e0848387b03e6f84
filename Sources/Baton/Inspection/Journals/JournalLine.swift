import Ground

/// One whole line of a journal: the members that every record has, and the line's bytes.
package struct JournalLine: Sendable {
  /// The members that are read without knowing the core.
  package struct Header: Sendable {
    var seq: UInt64
    var t: Int64
    package var wall: Int64
    package var kind: String
    var lostBefore: UInt64?
    package var core: String?
    /// See `JournalForm`.
    package var form: Int?
    package var process: String?
    package var pid: Int32?
    package var startTime: UInt64?
    package var text: String?
    package var reason: String?

    /// The name of the core's kind: a program with several of one kind numbers them, as in `peer-2`.
    package var coreKind: String? {
      guard let core, let hyphen = core.lastIndex(of: "-") else { return core }
      let number = core[core.index(after: hyphen)...]
      return !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
        ? String(core[..<hyphen]) : core
    }

    /// Nil without the members that every record has.
    fileprivate init?(_ record: JSONValue) {
      guard let seq = record["seq"]?.uint, let t = record["t"]?.int, let wall = record["wall"]?.int,
        let kind = record["kind"]?.text
      else { return nil }
      (self.seq, self.t, self.wall, self.kind) = (seq, t, wall, kind)
      lostBefore = record["lost_before"]?.uint
      core = record["core"]?.text
      form = record["form"]?.int.map { Int($0) }
      process = record["process"]?.text
      pid = record["pid"]?.int.flatMap { Int32(exactly: $0) }
      startTime = record["start_time"]?.uint
      text = record["text"]?.text
      reason = record["reason"]?.text
    }
  }

  /// Counted from 1.
  package var number: Int
  package var header: Header
  package var bytes: [UInt8]
  let value: JSONValue

  package var at: Instant { Instant(nanoseconds: header.t) }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Nil if the line is not a record.
  init?(number: Int, bytes: [UInt8]) {
    guard let value = JSONValue(parsing: bytes), let header = Header(value) else { return nil }
    self.number = number
    self.header = header
    self.bytes = bytes
    self.value = value
  }
}
