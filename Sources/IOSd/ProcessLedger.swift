import DaemonRuntime
import Glibc

/// Every process this phone ever ran: how it came, how it ended and why. The file has them all; only the newest are
/// kept in memory, as one answer holds no more and a phone may run for years.
final class ProcessLedger {
  private static let keptRows = 256

  private let log: AppendLog<ProcessRow>
  private(set) var rows: [ProcessRow] = []
  private var nextID: UInt64 = 1

  init(_ path: String, clock: Clock) throws(SystemError) {
    log = try AppendLog(path)
    for row in AppendLog<ProcessRow>.rows(of: path) {
      nextID = max(nextID, row.id &+ 1)
      if let index = rows.lastIndex(where: { $0.id == row.id }) {
        rows[index] = row
      } else {
        rows.append(row)
      }
    }
    // Children die with their iosd: what has no end in the file ended then, unseen.
    for index in rows.indices where rows[index].endedWall == nil {
      rows[index].endedWall = clock.wallNanoseconds
      rows[index].reason = "gone with an earlier iosd"
      log.append(rows[index])
    }
    rows = rows.suffix(Self.keptRows)
  }

  func begin(_ make: (UInt64) -> ProcessRow) -> UInt64 {
    let row = make(nextID)
    nextID &+= 1
    rows.append(row)
    if rows.count > Self.keptRows { rows.removeFirst(rows.count - Self.keptRows) }
    log.append(row)
    return row.id
  }

  /// Durable only with `save`: what the kernel says of an end and what the core makes of it are one row.
  func change(_ id: UInt64, _ change: (inout ProcessRow) -> Void) {
    guard let index = rows.lastIndex(where: { $0.id == id }) else { return }
    change(&rows[index])
  }

  func save(_ id: UInt64) {
    guard let row = rows.last(where: { $0.id == id }) else { return }
    log.append(row)
  }
}
