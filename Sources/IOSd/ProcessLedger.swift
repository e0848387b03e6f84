import DaemonRuntime
import Glibc
import Reports

/// Every process this phone ever ran: how it came, how it ended and why. The file has them all; in memory are those
/// that run and the newest that ended, as one answer holds no more and a phone may run for years.
final class ProcessLedger {
  private static let keptEnds = 256

  private let log: AppendLog<ProcessRow>
  private var rowsByID: [UInt64: ProcessRow] = [:]
  /// Those in memory that ended, the first to end first.
  private var ended: [UInt64] = []
  private var nextID: UInt64 = 1

  /// The number that the next one gets.
  var upcomingID: UInt64 { nextID }

  func row(_ id: UInt64) -> ProcessRow? { rowsByID[id] }

  /// In the order in which they began.
  var rows: [ProcessRow] { rowsByID.values.sorted { $0.id < $1.id } }

  init(_ path: String, clock: Clock) throws(SystemError) {
    log = try AppendLog(path)
    for row in AppendLog<ProcessRow>.rows(of: path) {
      nextID = max(nextID, row.id &+ 1)
      keep(row)
    }
    // Children die with their iosd: what has no end in the file ended then, unseen.
    for var row in rows where row.endedWall == nil {
      row.endedWall = clock.wallNanoseconds
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

  /// Durable only with `save`: what the kernel says of an end and what the core makes of it are one row.
  func change(_ id: UInt64, _ change: (inout ProcessRow) -> Void) {
    guard var row = rowsByID[id] else { return }
    change(&row)
    keep(row)
  }

  func save(_ id: UInt64) {
    guard let row = rowsByID[id] else { return }
    log.append(row)
  }

  /// What still runs is never dropped, however many came after it: its end is to be written down.
  private func keep(_ row: ProcessRow) {
    let hadEnded = rowsByID.updateValue(row, forKey: row.id)?.endedWall != nil
    guard row.endedWall != nil, !hadEnded else { return }
    ended.append(row.id)
    guard ended.count > Self.keptEnds else { return }
    let oldest = ended.removeFirst()
    if rowsByID[oldest]?.endedWall != nil { rowsByID[oldest] = nil }
  }
}
