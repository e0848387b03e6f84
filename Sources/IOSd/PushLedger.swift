import DaemonRuntime
import PhonePolicy

/// Every push this phone ever took, and what became of it: the last row of an id counts. In memory are the newest.
final class PushLedger {
  private static let keptRows = 256

  private let log: AppendLog<PushRow>
  private(set) var rows: [PushRow] = []
  private var nextID: UInt64 = 1

  init(_ path: String) throws(SystemError) {
    log = try AppendLog(path)
    for row in AppendLog<PushRow>.rows(of: path) {
      nextID = max(nextID, row.id &+ 1)
      keep(row)
    }
  }

  /// Its number goes on over restarts.
  func take(_ payload: PushPayload, of alert: UInt64? = nil, clock: Clock) -> UInt64 {
    let row = PushRow(
      id: nextID, of: alert, isVisible: payload.alert != nil, hasMutableContent: payload.hasMutableContent,
      wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    nextID &+= 1
    keep(row)
    log.append(row)
    return row.id
  }

  func record(_ fate: PushFate, of push: UInt64, clock: Clock) {
    guard var row = row(push) else { return }
    row.fate = fate.description
    row.fateWall = clock.wallNanoseconds
    row.fateAt = clock.now.nanoseconds
    keep(row)
    log.append(row)
  }

  func row(_ id: UInt64) -> PushRow? { rows.last { $0.id == id } }

  private func keep(_ row: PushRow) {
    if let index = rows.lastIndex(where: { $0.id == row.id }) {
      rows[index] = row
      return
    }
    rows.append(row)
    if rows.count > Self.keptRows { rows.removeFirst(rows.count - Self.keptRows) }
  }
}
