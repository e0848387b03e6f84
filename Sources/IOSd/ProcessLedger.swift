import DaemonRuntime
import Glibc
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
