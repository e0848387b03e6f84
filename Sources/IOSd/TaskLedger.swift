import Ground
import DaemonRuntime
import PhonePolicy

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
