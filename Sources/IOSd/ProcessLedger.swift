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
