import DaemonRuntime
import Glibc
import Ground
import PhonePolicy

/// Every process this phone ever ran: why it was launched, how it ended and why. The file has them all; in memory
/// are the running ones and the newest ended ones, as many as one answer holds.
final class ProcessLedger {
  private static let keptEnds = 256

  private let log: AppendLog<ProcessRow>
  private var rowsByID: [UInt64: ProcessRow] = [:]
  /// Ended processes in memory, the first to end first.
  private var ended: [UInt64] = []
  private var nextID: UInt64 = 1

  /// The id of the next process.
  var upcomingID: UInt64 { nextID }

  func row(_ id: UInt64) -> ProcessRow? { rowsByID[id] }

  /// In the order of their launch.
  var rows: [ProcessRow] { rowsByID.values.sorted { $0.id < $1.id } }

  init(_ path: String, clock: Clock) throws(SystemError) {
    log = try AppendLog(path)
    for row in AppendLog<ProcessRow>.rows(of: path) {
      nextID = max(nextID, row.id &+ 1)
      keep(row)
    }
    // Children die with their iosd: a row without an end ended together with an earlier iosd.
    for var row in rows where row.endedWallNs == nil {
      row.endedWallNs = clock.wallNanoseconds
      row.reason = "gone with an earlier iosd"
      row.endCode = .lost
      keep(row)
      log.append(row)
    }
  }

  func begin(_ make: (UInt64) -> ProcessRow) -> UInt64 {
    let row = make(nextID)
    nextID &+= 1
    keep(row)
    log.append(row)
    return row.id
  }

  /// Durable only with `save`, so the kernel's report of an end and the core's reason form one row.
  func change(_ id: UInt64, _ change: (inout ProcessRow) -> Void) {
    guard var row = rowsByID[id] else { return }
    change(&row)
    keep(row)
  }

  func save(_ id: UInt64) {
    guard let row = rowsByID[id] else { return }
    log.append(row)
  }

  /// A running process is never dropped from memory: its end must still be recorded.
  private func keep(_ row: ProcessRow) {
    let hadEnded = rowsByID.updateValue(row, forKey: row.id)?.endedWallNs != nil
    guard row.endedWallNs != nil, !hadEnded else { return }
    ended.append(row.id)
    guard ended.count > Self.keptEnds else { return }
    let oldest = ended.removeFirst()
    if rowsByID[oldest]?.endedWallNs != nil { rowsByID[oldest] = nil }
  }
}

/// The file of one process's standard output and error, where a crashing program prints the reason. It is removed
/// if it is empty.
final class ProcessOutput {
  let descriptor: Int32

  /// Nil if no file can be created, as on a full disk: then the process writes to iosd's own output.
  init?(_ home: PhoneHome, _ role: Role, _ id: UInt64) {
    mkdir(home.output, 0o700)
    let path = Self.path(home, role, id)
    guard let file = try? PlainFile.open(path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC) else { return nil }
    descriptor = file
  }

  func close() { Glibc.close(descriptor) }

  static func path(_ home: PhoneHome, _ role: Role, _ id: UInt64) -> String {
    "\(home.output)/\(role.rawValue)-\(id).log"
  }

  // MARK: At the end of the process

  private static let tailBytes = 4096
  private static let lineCharactersMax = 300

  /// The file's path, and its last line that is not empty.
  static func end(_ home: PhoneHome, _ role: Role, _ id: UInt64) -> (path: String, lastLine: String?)? {
    let path = path(home, role, id)
    guard let file = try? PlainFile.open(path, O_RDONLY) else { return nil }
    defer { Glibc.close(file) }
    let size = lseek(file, 0, SEEK_END)
    guard size > 0 else {
      unlink(path)
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: tailBytes)
    let count = max(0, pread(file, &bytes, tailBytes, max(0, size - tailBytes)))
    let lines = String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
    let last = lines.last { !$0.allSatisfy(\.isWhitespace) }
    return (path, last.map { ScreenText.cut(String($0), to: lineCharactersMax) })
  }
}

/// Every push this phone ever accepted, and its fate: the last row of an id counts. In memory are the newest.
final class PushLedger {
  private let log: AppendLog<PushRow>
  private var newest = NewestRows<PushRow>()

  var rows: [PushRow] { newest.rows }

  /// `shown`: the pushes that have a notification.
  init(_ path: String, shown: Set<UInt64>, clock: Clock) throws(SystemError) {
    log = try AppendLog(path)
    var last: [UInt64: PushRow] = [:]
    for row in AppendLog<PushRow>.rows(of: path) {
      newest.keep(row)
      last[row.id] = row
    }
    // Open pushes were only in iosd's memory: a killed iosd could not record their fate.
    for row in last.values.sorted(by: { $0.id < $1.id }) {
      if let fate = row.endInAKill(isShown: shown.contains(row.id)) { record(fate, in: row, clock) }
    }
  }

  /// Ids continue over restarts.
  var upcomingID: UInt64 { newest.nextID }

  func take(_ push: PhonePush, clock: Clock) {
    var row = PushRow(push, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    row.boot = clock.bootText
    newest.keep(row)
    log.append(row)
  }

  func record(_ fate: PushFate, of push: UInt64, clock: Clock) {
    if let row = row(push) { record(fate, in: row, clock) }
  }

  private func record(_ fate: PushFate, in row: PushRow, _ clock: Clock) {
    var row = row
    row.take(fate, wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    newest.replace(row)
    log.append(row)
  }

  func row(_ id: UInt64) -> PushRow? { newest.row(id) }
}

extension PushRow {
  /// The push's final fate when its iosd was killed; nil if the fate is already final. A visible one was on its way to
  /// the phone, or its notification was about to be shown. A push delivered to the app ended with the app, and so with
  /// iosd.
  func endInAKill(isShown: Bool) -> PushFate? {
    switch fateCode {
    case nil, .held, .late: isVisible && isShown ? nil : .lost
    case .contentRefused: isVisible && !isShown ? .lost : nil
    case .delivered: isVisible ? nil : .abandoned
    default: nil
    }
  }
}

/// Every background task that the app ever requested. The file has them all; in memory are the newest.
final class TaskLedger {
  private let log: AppendLog<TaskRow>
  private var newest = NewestRows<TaskRow>()
  /// Row ids of this boot by the core's request number.
  private var ids: [UInt64: UInt64] = [:]
  private let timeScale: Int64

  var rows: [TaskRow] { newest.rows }

  init(_ path: String, clock: Clock, timeScale: Int64) throws(SystemError) {
    log = try AppendLog(path)
    self.timeScale = max(1, timeScale)
    for row in AppendLog<TaskRow>.rows(of: path) { newest.keep(row) }
    // Requests do not outlive iosd.
    for var row in rows where row.endedAtNs == nil {
      row.state = "lost"
      row.why = "gone with an earlier iosd"
      row.endedAtNs = clock.now.nanoseconds
      write(row)
    }
  }

  func record(_ record: TaskRecord, clock: Clock) {
    var row = ids[record.number].flatMap(row) ?? newRow(record.request, clock)
    ids[record.number] = row.id
    row.take(record.fate, at: clock.now.nanoseconds)
    if record.fate.isEnd, row.launchedAtNs == nil { ids[record.number] = nil }
    write(row)
  }

  func noteRefusedCompletion(of number: UInt64) {
    guard var row = ids[number].flatMap(row) else { return }
    row.refusedCompletions = (row.refusedCompletions ?? 0) &+ 1
    write(row)
  }

  private func row(_ id: UInt64) -> TaskRow? { newest.row(id) }

  private func newRow(_ request: TaskRequest, _ clock: Clock) -> TaskRow {
    let now = clock.now.nanoseconds
    return TaskRow(
      id: newest.nextID, of: request, wall: clock.wallNanoseconds, at: now,
      earliestAt: now + request.earliest.nanoseconds / timeScale)
  }

  private func write(_ row: TaskRow) {
    if let gone = newest.keep(row) { ids = ids.filter { $0.value != gone.id } }
    log.append(row)
  }
}
