import Ground
import JSON

/// One whole line of a journal: what every record has, and the line itself for whoever wants more.
struct JournalLine: Sendable {
  /// The members that are read without knowing the core.
  struct Header: Decodable, Sendable {
    var seq: UInt64
    var t: Int64
    var wall: Int64
    var kind: String
    var lostBefore: UInt64?
    var core: String?
    var process: String?
    var pid: Int32?
    var startTime: UInt64?
    var text: String?
    var reason: String?

    enum CodingKeys: String, CodingKey {
      case seq, t, wall, kind, core, process, pid, text, reason
      case lostBefore = "lost_before"
      case startTime = "start_time"
    }
  }

  /// From 1.
  var number: Int
  var header: Header
  /// As this program writes it.
  var bytes: [UInt8]

  var at: Instant { Instant(nanoseconds: header.t) }
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Nil for anything that is no record.
  init?(number: Int, bytes: [UInt8]) {
    let record = OlderRecords.rewritten(bytes)
    guard let header = try? JSONLineDecoder().decode(Header.self, from: record) else { return nil }
    self.number = number
    self.header = header
    self.bytes = record
  }
}
