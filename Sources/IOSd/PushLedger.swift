import DaemonRuntime
import PhonePolicy

/// Every push this phone ever took, and what became of it: the last row of an id counts. In memory are the newest.
final class PushLedger {
  private let log: AppendLog<PushRow>
  private var newest = NewestRows<PushRow>()

  var rows: [PushRow] { newest.rows }

  init(_ path: String) throws(SystemError) {
    log = try AppendLog(path)
    for row in AppendLog<PushRow>.rows(of: path) { newest.keep(row) }
  }

  /// Its number goes on over restarts.
  func take(_ payload: PushPayload, of alert: UInt64? = nil, clock: Clock) -> UInt64 {
    let row = PushRow(
      id: newest.nextID, of: alert, isVisible: payload.alert != nil,
      hasMutableContent: payload.hasMutableContent,
      wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    newest.keep(row)
    log.append(row)
    return row.id
  }

  func record(_ fate: PushFate, of push: UInt64, clock: Clock) {
    guard var row = row(push) else { return }
    row.fate = fate.description
    row.fateWall = clock.wallNanoseconds
    row.fateAt = clock.now.nanoseconds
    newest.keep(row)
    log.append(row)
  }

  func row(_ id: UInt64) -> PushRow? { newest.row(id) }
}
