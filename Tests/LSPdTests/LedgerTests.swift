import Ground
import Crypto
import Database
import Foundation
import Glibc
import LightningProvider
import Testing

@testable import LSPd

/// What one event writes, and what the next start reads.
@Suite("The ledger")
final class LedgerTests {
  private let directory: String
  private let ledger: Ledger

  init() throws {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    directory = String(cString: try #require(mkdtemp(&template)))
    ledger = try Ledger(path: "\(directory)/ledger.sqlite")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func request(_ id: UInt64, holdUntil: Instant) -> PaymentRequest {
    PaymentRequest(id: id, paymentHash: SHA256.hash([UInt8(id)]), amountMsat: 1000, holdUntil: holdUntil)
  }

  private func step(at second: Int64, _ changes: LedgerChange...) -> LedgerStep {
    LedgerStep(at: instant(second), wallNanoseconds: 0, changes: changes)
  }

  private func instant(_ second: Int64) -> Instant { Instant(nanoseconds: second * 1_000_000_000) }

  private func count(_ table: String) throws -> Int64? {
    try ledger.database.firstRow("SELECT count(*) FROM \(table)")?.integer(0)
  }

  @Test(arguments: ["pushes", "frames", "fence"])
  func `If a step cannot be written into the ledger, all steps of the same commit are rolled back`(
    table: String
  ) throws {
    try ledger.database.script(
      "CREATE TRIGGER refuse BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END")
    let before = step(at: 1, .paymentHeld(request(1, holdUntil: instant(60))))
    var refused = step(
      at: 1, .paymentHeld(request(2, holdUntil: instant(60))),
      .fence(Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))))
    refused.outgoing = [LedgerStep.FrameBytes(connection: 1, bytes: [1])]
    refused.pushes = [PushRequest(reason: .incomingPayment)]
    #expect(throws: DatabaseError.self) { try ledger.commit([before, refused]) }
    for table in ["payments", "frames", "pushes", "fence"] { #expect(try count(table) == 0, "\(table)") }
    try ledger.database.script("DROP TRIGGER refuse")
    #expect(try ledger.commit([before, refused]).count == 1)
    #expect(try count("payments") == 2)
    for table in ["frames", "pushes", "fence"] { #expect(try count(table) == 1, "\(table)") }
  }

  @Test
  func `A held payment keeps its sender's deadline when lspd restarts`() throws {
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    let again = try Ledger(path: "\(directory)/ledger.sqlite")
    let read = try PaymentTable.readUnresolved(again.database, at: instant(1010))
    #expect(read.map(\.request.holdUntil) == [instant(1060)])
    #expect(read.map(\.isHeld) == [true])
  }

  @Test
  func `An older ledger's sentences about pushes become codes, with iosd's error as detail`() throws {
    let path = "\(directory)/older.sqlite"
    let sentences = [
      "asked", "delivered", "no longer needed", "one like it is on its way", "iosd is not there",
      "iosd refused: no room", "iosd gave no answer: closed",
    ]
    do {
      let older = try Connection(path: path, access: .create)
      try older.migrate(steps: Array(LedgerSchema.steps.prefix(6)))
      for sentence in sentences {
        try older.execute(
          "INSERT INTO pushes(at_ns, reason, attempts, outcome, is_open) VALUES (1, 'IncomingPayment', 0, ?, 0)",
          [.text(sentence)])
      }
    }
    let rows = try Ledger(path: path).database.rows("SELECT outcome, detail FROM pushes ORDER BY id")
    #expect(try rows.map { PushProgress(rawValue: try $0.text(0)) } == PushProgress.allCases)
    #expect(try rows.compactMap { try $0.optionalText(1) } == ["no room", "closed"])
  }

  /// The clock counts from the boot: the remaining 60 s would become the previous boot's uptime.
  @Test func `A payment held before a reboot has no waiting time left after the reboot`() throws {
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    let read = try PaymentTable.readUnresolved(ledger.database, at: instant(5))
    #expect(read.map(\.request.holdUntil) == [instant(5)])
  }
}
