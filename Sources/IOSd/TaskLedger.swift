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
    let now = clock.now
    var row = ids[record.number].flatMap(row) ?? newRow(record, clock)
    ids[record.number] = row.id
    (row.state, row.why) = (record.fate.state, record.fate.why)
    switch record.fate {
    case .runs(let isByHand):
      row.launchedAtNs = now.nanoseconds
      row.isByHand = isByHand ? true : nil
    case .completed(let isSuccess): row.isSuccess = isSuccess
    default: break
    }
    if record.fate.isEnd {
      row.endedAtNs = now.nanoseconds
      if row.launchedAtNs == nil { ids[record.number] = nil }
    }
    write(row)
  }

  func noteRefusedCompletion(of number: UInt64) {
    guard var row = ids[number].flatMap(row) else { return }
    row.refusedCompletions = (row.refusedCompletions ?? 0) &+ 1
    write(row)
  }

  private func row(_ id: UInt64) -> TaskRow? { newest.row(id) }

  private func newRow(_ record: TaskRecord, _ clock: Clock) -> TaskRow {
    let earliest = TimeSpan(nanoseconds: record.request.earliest.nanoseconds / timeScale)
    return TaskRow(
      id: newest.nextID, identifier: record.request.identifier, kind: record.request.kind.rawValue,
      requiresNetwork: record.request.requiresNetwork,
      requiresExternalPower: record.request.requiresExternalPower, state: "waiting",
      submittedWall: clock.wallNanoseconds, submittedAt: clock.now.nanoseconds,
      earliestAt: (clock.now + earliest).nanoseconds)
  }

  private func write(_ row: TaskRow) {
    if let gone = newest.keep(row) { ids = ids.filter { $0.value != gone.id } }
    log.append(row)
  }
}
