import Ground
import Crypto
import Platform
import Foundation
import Glibc
import LightningProvider
import Testing
import Lightning

@testable import LSPd

/// What one event writes, and what the next start reads.
@Suite("The ledger")
final class LedgerTests {
  private let directory: String
  private let made: TestLedger
  private var ledger: Ledger { made.ledger }

  init() throws {
    var template = Array("/tmp/baton-ledger-XXXXXX".utf8CString)
    directory = String(cString: try #require(mkdtemp(&template)))
    made = try TestLedger(directory)
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
    try ledger.database.firstRow("SELECT count(*) FROM \(table)", [])?.integer(0)
  }

  @Test(arguments: ["pushes", "frames", "fence"])
  func `If a step cannot be written into the ledger, all steps of the same commit are rolled back`(
    table: String
  ) throws {
    let allow = try made.refuseRows(of: table)
    let before = step(at: 1, .paymentHeld(request(1, holdUntil: instant(60))))
    var refused = step(
      at: 1, .paymentHeld(request(2, holdUntil: instant(60))),
      .fence(Claim(epoch: 1, incarnation: 1, container: ContainerID(high: 1, low: 1))))
    refused.outgoing = [LedgerStep.FrameBytes(connection: 1, bytes: [1])]
    refused.pushes = [PushRequest(reason: .incomingPayment)]
    #expect(throws: (any Error).self) { try ledger.commit([before, refused]) }
    for table in ["payments", "frames", "pushes", "fence"] { #expect(try count(table) == 0, "\(table)") }
    try allow()
    #expect(try ledger.commit([before, refused]).count == 1)
    #expect(try count("payments") == 2)
    for table in ["frames", "pushes", "fence"] { #expect(try count(table) == 1, "\(table)") }
  }

  @Test
  func `A held payment keeps its sender's deadline when lspd restarts`() throws {
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    let again = try made.again()
    let read = try PaymentTable.readUnresolved(again.database, at: instant(1010))
    #expect(read.map(\.request.holdUntil) == [instant(1060)])
    #expect(read.map(\.isHeld) == [true])
  }

  /// The clock counts from the boot: the remaining 60 s would become the previous boot's uptime.
  @Test func `A payment held before a reboot has no waiting time left after the reboot`() throws {
    try boot(1)
    try ledger.commit([step(at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))))])
    for second: Int64 in [5, 1010] {
      try boot(UInt64(second))
      let read = try PaymentTable.readUnresolved(ledger.database, at: ledger.time(instant(second)))
      #expect(read.map(\.request.holdUntil) == [instant(second)])
    }
  }

  @Test func `After a reboot the ledger's times are later than before, also with a lower clock`() throws {
    for (payment, boot, second) in [(UInt64(1), UInt64(1), Int64(1000)), (2, 2, 5), (3, 3, 900), (4, 3, 901)]
    {
      try self.boot(boot)
      try ledger.commit([step(at: second, .paymentHeld(request(payment, holdUntil: instant(second))))])
    }
    let times = try ledger.database.rows("SELECT requested_at_ns FROM payments ORDER BY id", []).map {
      try $0.integer(0)
    }
    #expect(times == times.sorted() && Set(times).count == 4)
    let read = try PaymentTable.list(ledger.database).map(\.requestedAtNs)
    #expect(read == [1000, 5, 900, 901].map { instant($0).nanoseconds })
  }

  private func boot(_ number: UInt64) throws {
    try ledger.beginRun(
      at: instant(1), wallNanoseconds: 0, isLegacy: false, boot: BootID(high: number, low: 0))
  }

  /// As above.
  @Test func `A notification before a reboot delays no call after the reboot`() throws {
    let hook = Webhook(name: "a", url: "https://a.org/")
    let call = WebhookCall(
      number: 1, webhook: hook, notification: .paymentIncoming, nextAt: instant(1000))
    try boot(1)
    for change in [WebhookChange.set(hook), .called(call), .ended(call: 1, .answered(status: 200))] {
      try WebhookTables.write(
        change, of: .own, at: ledger.time(instant(1000)), wallNanoseconds: 0, to: ledger.database)
    }
    func noticed(_ second: Int64) throws -> Bool {
      let now = ledger.time(instant(second))
      var book = try #require(try WebhookTables.read(ledger.database, of: .own, at: now))
      var step = WebhookStep()
      book.notice(.paymentIncoming, WebhookRules(reach: .anywhere), at: instant(second), &step)
      return !step.orders.isEmpty
    }
    #expect(try !noticed(1001) && noticed(1061))
    try boot(2)
    #expect(try noticed(5) && noticed(1001))
  }

  @Test func `A webhook's cooldown and the time of an offer are those of the machine's boot`() throws {
    try boot(1)
    try boot(2)
    try ledger.commit([
      step(
        at: 1000, .paymentHeld(request(1, holdUntil: instant(1060))), .paymentOffered(payment: 1, htlc: 1))
    ])
    let hook = Webhook(name: "a", url: "https://a.org/")
    let registration = WebhookCall(
      number: 1, webhook: hook, notification: .webhookRegistered, nextAt: instant(1000))
    for change in [WebhookChange.set(hook), .called(registration)] {
      try WebhookTables.write(
        change, of: .own, at: ledger.time(instant(1000)), wallNanoseconds: 0, to: ledger.database)
    }
    func changes(_ second: Int64) throws -> Bool {
      var book = try #require(
        try WebhookTables.read(ledger.database, of: .own, at: ledger.time(instant(second))))
      var step = WebhookStep()
      let request = WebhookRequest.set(name: "a", url: "https://b.org/").encoded(id: "1")
      book.hear(request, WebhookRules(reach: .anywhere), at: instant(second), &step)
      return !step.changes.isEmpty
    }
    func offer(_ second: Int64) throws -> Instant? {
      try PaymentTable.oldestOffer(ledger.database, of: .own, at: ledger.time(instant(second)))
    }
    #expect(try !changes(1001) && changes(1061) && offer(1001) == instant(1000))
    try boot(3)
    #expect(try changes(5) && changes(1001) && offer(5) == nil)
  }

  @Test func `The 257th boot is refused, as the ledger's times have no room for it`() throws {
    for number in 0..<256 { try boot(UInt64(number)) }
    try boot(7)
    #expect(throws: LedgerError.self) { try boot(256) }
    try boot(255)
  }

  @Test func `The newest push key counts, and ended holds stay in their order without forgotten ones`() throws
  {
    let keys = (1...2).compactMap { PrivateKey(SHA256.hash([UInt8($0)]))?.publicKey }
    let hashes = (1...3).map { SHA256.hash([UInt8($0)]) }
    try ledger.commit([
      step(at: 1, .pushKey(keys[0]), .holdEnded(paymentHash: hashes[0])),
      step(at: 2, .pushKey(keys[1]), .holdEnded(paymentHash: hashes[1])),
      step(at: 3, .holdEnded(paymentHash: hashes[2]), .endedHoldForgotten(paymentHash: hashes[1])),
      step(at: 4, .holdEnded(paymentHash: hashes[0])),
    ])
    let again = try made.again()
    #expect(try AnnouncementTables.readPushKey(again.database) == keys[1])
    #expect(try AnnouncementTables.readEndedHolds(again.database)?.paymentHashes == [hashes[2], hashes[0]])
    #expect(try count("ended_holds") == 4)
  }
}
