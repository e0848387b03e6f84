import Ground

/// One line of a journal: the common header, then the members of its kind. Decoding and encoding gives the same
/// bytes, which replay relies on.
public struct JournalRecord<Body: Codable>: Codable {
  public var header: JournalHeader
  public var body: Body

  init(_ header: JournalHeader, _ body: Body) {
    self.header = header
    self.body = body
  }

  public init(from decoder: any Decoder) throws {
    header = try JournalHeader(from: decoder)
    body = try Body(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    try header.encode(to: encoder)
    try body.encode(to: encoder)
  }
}

public struct JournalHeader: Codable {
  public var seq: UInt64
  public var t: Instant
  public var wall: Int64
  public var kind: String
  public var lostBefore: UInt64?
  /// The checksum of the record before, in hexadecimal: a line that is changed or removed later is noticed.
  public var after: String?

  enum CodingKeys: String, CodingKey {
    case seq, t, wall, kind
    case lostBefore = "lost_before"
    case after
  }
}

/// The first record of a core.
public struct CoreBegin<C: Core>: Codable {
  public var core: String
  public var form: Int?
  public var configuration: C.Configuration

  init(_ configuration: C.Configuration, of name: String) {
    core = name
    form = JournalForm.current
    self.configuration = configuration
  }
}

/// The number of what cores decide and how their records are written. It is raised when a journal of before would not
/// replay to the same bytes: readers refuse journals of another form.
public enum JournalForm { public static let current = 10 }

/// An event of one core, and its directives.
public struct CoreEvent<C: Core>: Codable {
  public var core: String
  public var event: C.Event
  public var directives: [C.Directive]
}

struct ProcessStart: Codable {
  var process: String
  var pid: Int32
  var startTime: UInt64
  var boot: String
  var version: String
  var arguments: [String]

  enum CodingKeys: String, CodingKey {
    case process, pid
    case startTime = "start_time"
    case boot, version, arguments
  }
}

struct JournalNote: Codable {
  var text: String
  /// Of a process that was late: since when something was due that it did only now.
  var lateSince: Instant?

  enum CodingKeys: String, CodingKey {
    case text
    case lateSince = "late_since"
  }
}

struct EndRecord: Codable { var reason: String }
