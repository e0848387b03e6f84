import DaemonRuntime
import PhonePolicy

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
      switch row.endInAKill(isShown: shown.contains(row.id)) {
      case .abandoned: write(.abandoned, PushFate.abandoned.description, to: row, clock)
      case .some: write(.lost, "lost: gone with an earlier iosd", to: row, clock)
      case nil: break
      }
    }
  }

  /// Ids continue over restarts.
  func take(_ payload: PushPayload, of alert: UInt64? = nil, clock: Clock) -> UInt64 {
    var row = PushRow(
      id: newest.nextID, of: alert, isVisible: payload.alert != nil,
      hasMutableContent: payload.hasMutableContent, isBadgeOrSound: payload.badgeAndSound == nil ? nil : true,
      wall: clock.wallNanoseconds, at: clock.now.nanoseconds)
    row.boot = clock.bootText
    newest.keep(row)
    log.append(row)
    return row.id
  }

  func record(_ fate: PushFate, of push: UInt64, clock: Clock) {
    guard var row = row(push) else { return }
    if case .applied(let what) = fate { (row.appliedBadge, row.appliedSound) = (what.badge, what.sound) }
    if case .late(let milliseconds) = fate { row.lateMs = milliseconds }
    row.fateDetail = fate.detail
    write(fate.code, fate.description, to: row, clock)
  }

  private func write(_ code: PushFateCode, _ words: String, to row: PushRow, _ clock: Clock) {
    var row = row
    (row.fateCode, row.fate) = (code, words)
    row.fateWallNs = clock.wallNanoseconds
    row.fateAtNs = clock.now.nanoseconds
    newest.replace(row)
    log.append(row)
  }

  func row(_ id: UInt64) -> PushRow? { newest.row(id) }
}
