import Ground
import Glibc
import Platform

/// The events of one process, in order: JSON Lines, one file per process start, one `write` per record.
///
/// Has every event of every core with its instant and directives, so that the cores can be replayed and compared. A
/// full disk must not stop a daemon: unwritten records are counted, and the next written record has their number.
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
  private var lastChecksum: UInt64?
  private var hasEnded = false
  /// Wall minus monotonic clock at the last record: a change means that the wall clock was set.
  private var clockDifference: Int64?

  public init(
    directory: String, name: String, clock: Clock, version: String, arguments: [String]
  ) throws(SystemError) {
    self.clock = clock
    // Relative to the checked directory, so that no link can redirect the journal.
    let place = try OwnHome.makeDirectory(directory)
    let stem = "\(Self.stamp(clock.wallNanoseconds))-\(name)-\(getpid())"
    var file = ""
    var descriptor: Int32 = -1
    // The phone's wall clock can be set back into a second that this pid has used before.
    for attempt in 1..<100 {
      file = attempt == 1 ? "\(stem).jsonl" : "\(stem)-\(attempt).jsonl"
      let flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
      descriptor = openat(place.descriptor, file, flags, 0o600)
      if descriptor >= 0 || errno != EEXIST { break }
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
    append(
      "start", at: clock.now,
      ProcessStart(
        process: name, pid: identity.pid, startTime: identity.startTime, boot: Self.text(of: identity.boot),
        version: version, arguments: arguments))
  }

  /// Once per core, at its start.
  public func record<C: Core>(_ type: C.Type, as name: String = C.name, configuration: C.Configuration) {
    append("core", at: clock.now, CoreBegin<C>(configuration, of: name))
  }

  /// `now` is exactly the instant passed to the core.
  public func record<C: Core>(
    _ type: C.Type, as name: String = C.name, event: C.Event, at now: Instant, directives: [C.Directive]
  ) {
    append("event", at: now, CoreEvent<C>(core: name, event: event, directives: directives))
  }

  public func note(_ text: String) { append("note", at: clock.now, JournalNote(text: text)) }

  /// What was due at `since` is done only now: the process was stopped, or busy with one thing.
  public func recordLate(since: Instant) {
    let now = clock.now
    append(
      "note", at: now, JournalNote(text: "late by \((now - since).wholeMilliseconds) ms", lateSince: since))
  }

  /// The last record: what the process does in the rest of its last turn is not recorded.
  public func recordEnd(reason: String) {
    append("end", at: clock.now, EndRecord(reason: reason))
    hasEnded = true
  }

  // MARK: Writing

  private func append(_ kind: String, at now: Instant, _ body: some Codable) {
    if hasEnded { return }
    let wall = clock.wallNanoseconds
    noteClockStep(wall: wall, at: now)
    write(kind, at: now, wall: wall, body)
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
    let note = JournalNote(text: "wall clock stepped by \(sign)\(milliseconds / 1000).\(fraction) s")
    write("note", at: now, wall: wall, note)
  }

  private func write(_ kind: String, at now: Instant, wall: Int64, _ body: some Codable) {
    sequence += 1
    let header = JournalHeader(
      seq: sequence, t: now, wall: wall, kind: kind,
      lostBefore: lostSinceLastRecord > 0 ? lostSinceLastRecord : nil,
      after: lastChecksum.map { Hexadecimal.encode(word: $0) })
    if let line = try? encoder.encode(JournalRecord(header, body)), lines.append(line) {
      lostSinceLastRecord = 0
      lastChecksum = PhoneClock.checksum(line.utf8)
    } else {
      lostRecords += 1
      lostSinceLastRecord += 1
    }
  }

  // MARK: Text

  /// `20261120T191500`, in UTC.
  static func stamp(_ wallNanoseconds: Int64) -> String {
    UTCText.write(wallNanoseconds).filter { !"-:Z".contains($0) }
  }

  public static func text(of boot: BootID) -> String {
    Hexadecimal.encode(word: boot.high) + Hexadecimal.encode(word: boot.low)
  }
}
