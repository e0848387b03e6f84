import Ground
import DaemonRuntime
import Platform
import Foundation
import WaitingTests
import Glibc
import Heartbeat
import Lightning
import Testing

// Evidence that tests read from outside, and figures that are printed only.
extension TestPhone {
  /// How many fenced writes were made under an epoch.
  package func writes(underEpoch epoch: UInt64) throws -> Int {
    guard let table = try snapshot().tables.first(where: { $0.name == "node_writes" }),
      let column = table.columns.firstIndex(of: "epoch")
    else { return -1 }
    return try table.rows.filter { try $0.unsigned(column) == epoch }.count
  }

  package func balanceMsat() throws -> UInt64 {
    guard let table = try snapshot().tables.first(where: { $0.name == "channels" }),
      let column = table.columns.firstIndex(of: "local_msat"), let row = table.rows.first
    else { return 0 }
    return try row.unsigned(column)
  }

  /// Irrevocably committed HTLCs that are neither fulfilled nor failed, including those in the write-ahead log.
  package func keptParts() throws -> Int {
    guard let table = try snapshot().tables.first(where: { $0.name == "htlcs" }),
      let column = table.columns.firstIndex(of: "state")
    else { return 0 }
    return try table.rows.count { try $0.text(column) == "receivedAddAckRevocation" }
  }

  /// When the wait for missing parts began, per payment.
  package func waits() throws -> [Int64] {
    guard let table = try snapshot().tables.first(where: { $0.name == "waiting_parts" }),
      let column = table.columns.firstIndex(of: "first_boot_ns")
    else { return [] }
    return try table.rows.map { try $0.integer(column) }
  }

  /// The state of the wallet's newest payment of an invoice; nil without a payment.
  package func sentState(_ invoice: SignedInvoice) -> String? {
    guard let table = try? snapshot().tables.first(where: { $0.name == "outgoing_payments" }),
      let hash = table.columns.firstIndex(of: "payment_hash"),
      let state = table.columns.firstIndex(of: "state"),
      let row = table.rows.last(where: { (try? $0.blob(hash)) == invoice.paymentHash.bytes })
    else { return nil }
    return try? row.text(state)
  }

  /// The states of the wallet's splices, the oldest first.
  package func spliceStates() -> [String] {
    guard let table = try? snapshot().tables.first(where: { $0.name == "splices" }),
      let state = table.columns.firstIndex(of: "state")
    else { return [] }
    return table.rows.compactMap { try? $0.text(state) }
  }

  /// The states of the peer's splices, oldest first.
  package func peerSpliceStates() throws -> [String] {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    return try ledger.rows("SELECT state FROM splices ORDER BY id").map { try $0.text(0) }
  }

  /// The channel's funding txid at the wallet and at the peer.
  package func fundings() throws -> (wallet: [UInt8]?, peer: [UInt8]?) {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    let table = try snapshot().tables.first { $0.name == "channels" }
    let column = table?.columns.firstIndex(of: "funding_txid")
    let wallet = try column.flatMap { column in try table?.rows.first?.optionalBlob(column) }
    return (wallet, try ledger.firstRow("SELECT funding_txid FROM channel")?.optionalBlob(0))
  }

  /// How many messages the peer processed on connections of this epoch.
  package func framesActedOn(epoch: UInt64) throws -> Int64 {
    let ledger = try Connection(path: "\(home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    return try ledger.firstRow(
      """
      SELECT count(*) FROM frames f JOIN connections c ON c.id = f.connection
      WHERE c.epoch = ? AND f.direction = 'in' AND f.acted = 1
      """, [.unsigned(epoch)])?.integer(0) ?? -1
  }

  /// Steps the phone's wall clock.
  package func stepWallClock(hours: Int64) throws {
    var phoneClock = PhoneClock(boot: clock.boot)
    phoneClock.wallOffsetNanoseconds = hours * 3600 * 1_000_000_000
    try PhoneClockFile(path: "\(home)/os/clock").write(phoneClock)
  }

  package func report(_ what: String, _ span: TimeSpan) {
    print("measured: \(what): \(Double(span.nanoseconds / 1000) / 1000) ms")
  }

  package func report(_ what: String, from start: Instant?, to end: Instant?) {
    if let start, let end { report(what, end - start) }
  }
}

// The rows of the database file without its log: what is left when the log is lost.
extension TestPhone {
  private func rowsWithoutLog(_ sql: String, _ values: [SQLValue] = []) throws -> Int64 {
    let copy = "\(home)/without-log.sqlite"
    // By another process: this one may open a live database only through SQLite.
    _ = try run("cp", ["\(home)/AppGroup/node.sqlite", copy])
    defer { for suffix in ["", "-wal", "-shm"] { unlink(copy + suffix) } }
    return try Connection(path: copy, access: .readWrite).firstRow(sql, values)?.integer(0) ?? 0
  }

  package func isSettledOnDisk(_ invoice: SignedInvoice) throws -> Bool {
    try rowsWithoutLog(
      "SELECT count(*) FROM received_payments WHERE payment_hash = ?", [.blob(invoice.paymentHash.bytes)])
      == 1
  }

  package func invoicesOnDisk() throws -> Int64 { try rowsWithoutLog("SELECT count(*) FROM invoices") }

  @discardableResult
  package func run(_ program: String, _ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
