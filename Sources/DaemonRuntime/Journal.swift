import CLinux
import Ground
import Glibc
import OwnFiles

/// What happened in one process, in order: JSON Lines, one file per process start, one `write` per record.
///
/// Every event of every core is here with its instant and the directives it led to, so that the cores can be run
/// again and compared. A disk that is full must not stop a daemon: records that cannot be written are counted, and
/// the next that can says how many are missing.
public final class Journal {
  public let path: String
  /// Records that could not be written since the start.
  public private(set) var lostRecords: UInt64 = 0

  private let clock: Clock
  let descriptor: Int32
  private let encoder = JSONLineEncoder()
  private var sequence: UInt64 = 0
  private var lostSinceLastRecord: UInt64 = 0
  private var lines: LineWriter
  /// Wall minus monotonic clock at the last record: a change says that somebody set the wall clock.
  private var clockDifference: Int64?

  public init(
    directory: String, name: String, clock: Clock, version: String, arguments: [String]
  ) throws(SystemError) {
    self.clock = clock
    // Through the directory that was looked at, so that no link can lead the journal elsewhere.
    let place = try OwnHome.makeDirectory(directory)
    let stem = "\(Self.stamp(clock.wallNanoseconds))-\(name)-\(getpid())"
    var file = "\(stem).jsonl"
    var descriptor = baton_open_new_append(place.descriptor, file, 0o600)
    // The phone's wall clock can be set back into a second that this pid has used before.
    var attempt = 2
    while descriptor < 0 && errno == EEXIST && attempt < 100 {
      file = "\(stem)-\(attempt).jsonl"
      descriptor = baton_open_new_append(place.descriptor, file, 0o600)
      attempt += 1
    }
    path = "\(directory)/\(file)"
    if descriptor < 0 { throw SystemError("create the journal \(path)") }
    self.descriptor = descriptor
    lines = LineWriter(appendingTo: descriptor)
    recordStart(name: name, version: version, arguments: arguments)
  }

  deinit { close(descriptor) }

  // MARK: Records

  private func recordStart(name: String, version: String, arguments: [String]) {
    let identity = ProcessTable.current(boot: clock.boot)
    var members = JSONObject()
    members.set("process", name)
    members.set("pid", identity.pid)
    members.set("start_time", identity.startTime)
    members.set("boot", Self.text(of: identity.boot))
    members.set("version", version)
    members.set("arguments", arguments)
    append("start", at: clock.now, members)
  }

  /// Once per core, at its start.
  public func record<C: Core>(_ type: C.Type, configuration: C.Configuration) {
    var members = JSONObject()
    members.set("core", C.name)
    members.set("configuration", raw: json(configuration))
    append("core", at: clock.now, members)
  }

  /// `now` is exactly the instant the core was given.
  public func record<C: Core>(
    _ type: C.Type, event: C.Event, at now: Instant, directives: [C.Directive]
  ) {
    var members = JSONObject()
    members.set("core", C.name)
    members.set("event", raw: json(event))
    members.set("directives", raw: json(directives))
    append("event", at: now, members)
  }

  public func note(_ text: String, fields: JSONObject? = nil) {
    var members = JSONObject()
    members.set("text", text)
    if let fields { members.set("fields", raw: fields.text) }
    append("note", at: clock.now, members)
  }

  public func recordEnd(reason: String) {
    var members = JSONObject()
    members.set("reason", reason)
    append("end", at: clock.now, members)
  }

  private func json(_ value: some Encodable) -> String {
    do throws(JSONEncodingError) {
      return try encoder.encode(value)
    } catch {
      // Replay will stumble over it and say where; the daemon goes on.
      return JSONText.quoted("not encodable: \(error)")
    }
  }

  // MARK: Writing

  private func append(_ kind: String, at now: Instant, _ members: JSONObject) {
    let wall = clock.wallNanoseconds
    noteClockStep(wall: wall, at: now)
    write(kind, at: now, wall: wall, members)
  }

  private func noteClockStep(wall: Int64, at now: Instant) {
    let difference = wall &- clock.now.nanoseconds
    defer { clockDifference = difference }
    guard let last = clockDifference else { return }
    let (step, overflowed) = difference.subtractingReportingOverflow(last)
    guard overflowed || step.magnitude > 1_000_000_000 else { return }
    let sign = step < 0 ? "-" : "+"
    let milliseconds = (step.magnitude &+ 500_000) / 1_000_000
    let fraction = String("\(1000 + milliseconds % 1000)".dropFirst())
    var members = JSONObject()
    members.set("text", "wall clock stepped by \(sign)\(milliseconds / 1000).\(fraction) s")
    write("note", at: now, wall: wall, members)
  }

  private func write(_ kind: String, at now: Instant, wall: Int64, _ members: JSONObject) {
    sequence += 1
    var record = JSONObject()
    record.set("seq", sequence)
    record.set("t", now.nanoseconds)
    record.set("wall", wall)
    record.set("kind", kind)
    if lostSinceLastRecord > 0 { record.set("lost_before", lostSinceLastRecord) }
    if lines.append(record.text(joinedWith: members)) {
      lostSinceLastRecord = 0
    } else {
      lostRecords += 1
      lostSinceLastRecord += 1
    }
  }

  // MARK: Text

  /// `20261120T191500`, in UTC.
  static func stamp(_ wallNanoseconds: Int64) -> String {
    var seconds = time_t(wallNanoseconds / 1_000_000_000)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    let two = { (value: Int32) in String("\(100 + value)".suffix(2)) }
    return "\(1900 + parts.tm_year)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
      + "T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
  }

  public static func text(of boot: BootID) -> String {
    Hexadecimal.encode(word: boot.high) + Hexadecimal.encode(word: boot.low)
  }
}
