import Ground
import JSON

/// One whole line of a journal: the members that every record has, and the line's bytes.
package struct JournalLine: Sendable {
  /// The members that are read without knowing the core.
  package struct Header: Decodable, Sendable {
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

    enum CodingKeys: String, CodingKey {
      case seq, t, wall, kind, core, form, process, pid, text, reason
      case lostBefore = "lost_before"
      case startTime = "start_time"
    }
  }

  /// Counted from 1.
  package var number: Int
  package var header: Header
  /// The line in the form that this program writes.
  package var bytes: [UInt8]

  package var at: Instant { Instant(nanoseconds: header.t) }
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Nil if the line is not a record.
  init?(number: Int, bytes: [UInt8]) {
    let record = OlderRecords.rewritten(bytes)
    guard let header = try? JSONLineDecoder().decode(Header.self, from: record) else { return nil }
    self.number = number
    self.header = header
    self.bytes = record
  }
}
