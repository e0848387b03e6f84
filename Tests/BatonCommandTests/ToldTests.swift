import DaemonRuntime
import Foundation
import Glibc
import Ground
import Reports
import Testing
import WaitingTests

@testable import BatonCommand
@testable import PhoneClient

/// What `baton pay` has told its user, as evidence for the judge.
@Suite("What a sender was told", .waits) struct ToldTests {
  private func rows(_ phone: CommandPhone) -> [SenderRow] {
    SenderRow.rows(in: SmallFile.read("\(phone.phone.lsp)/senders.jsonl", limit: 65_536) ?? [])
  }

  @Test
  func `baton pay writes each outcome that it tells, and the judge finds each one that is not the ledger's`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoices = try (0..<4).map { _ in try phone.invoice() }
    _ = try phone.run("pay", invoices[0])
    _ = try phone.run("pay", invoices[1], "--retry", "interim")
    _ = try phone.run("pay", invoices[2], "--parts", "2")
    _ = try phone.run("pay", "--count", "2", "--amount", "21")
    _ = try phone.run("pay", invoices[0])
    _ = try phone.run("pay", invoices[1], "--retry", "interim")
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    _ = try phone.run("pay", invoices[3], "--retry", "interim", "--attempts", "2", "--hold-seconds", "0")
    let told = rows(phone)
    #expect(
      told.map(\.told) == [
        "settled", "settled", "settled", "settled", "settled", "failed", "not-sent", "failed",
      ])
    #expect(
      told.map(\.reason) == [
        nil, nil, nil, nil, nil, "already-paid", "already-paid", "temporary-channel-failure",
      ])
    #expect(told.map(\.attempts.count) == [1, 1, 2, 1, 1, 1, 1, 2])
    #expect(told.map(\.inParts) == [nil, nil, true, nil, nil, nil, nil, nil])
    _ = try phone.run("down")
    #expect(try phone.run("judge").contains("Verdict: sound."))
    for index in told.indices {
      var lies = told
      lies[index].told = told[index].told == "settled" ? "failed" : "settled"
      try lies.map { "\($0.json)\n" }.joined().write(
        toFile: "\(phone.phone.lsp)/senders.jsonl", atomically: false, encoding: .utf8)
      let verdict = try phone.run("judge")
      #expect(verdict.contains("A sender was told") && !verdict.contains("Verdict: sound."), "\(index)")
    }
  }

  @Test func `What is pending is written as pending, and a sender that is killed before leaves no line`()
    throws
  {
    let phone = CommandPhone()
    _ = try phone.run("up")
    _ = try phone.run("device", "notifications", "off")
    try phone.openAndConnect()
    let invoices = try (0..<2).map { _ in try phone.invoice() }
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    let killed = try phone.begin("pay", invoices[0], "--retry", "interim", "--json", into: "payment")
    try Wait.until("the payment to be held") {
      phone.scratch.text("payment").contains(#""event":"held""#)
    }
    kill(killed.identity.pid, SIGKILL)
    _ = phone.scratch.end(killed)
    #expect(rows(phone).isEmpty)
    _ = try phone.run("pay", invoices[1], "--no-wait", "--hold-seconds", "600")
    _ = try phone.run("pay", invoices[1], "--retry", "interim")
    #expect(rows(phone).map(\.told) == ["held", "pending"])
    _ = try phone.run("app", "open")
    try Wait.until("both payments to end") {
      try phone.phone.peerPayments().allSatisfy { $0.state == "paid" || $0.state == "failed" }
    }
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  private let row = SenderRow(
    atNs: 1, atWallNs: 2, paymentHash: "00", payee: "02", amountMsat: 3, told: "settled")

  @Test func `A line that another sender has torn is ended first, and costs no second one`() throws {
    let scratch = Scratch()
    let phone = Phone(home: scratch("phone"))
    try FileManager.default.createDirectory(atPath: phone.lsp, withIntermediateDirectories: true)
    let path = "\(phone.lsp)/senders.jsonl"
    #expect(SenderJournal(phone).append(row) == nil)
    #expect(scratch.text("phone/lsp/senders.jsonl") == "\(row.json)\n")
    try "{\"at_".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(SenderJournal(phone).append(row) == nil && SenderJournal(phone).append(row) == nil)
    #expect(scratch.text("phone/lsp/senders.jsonl") == "{\"at_\n\(row.json)\n\(row.json)\n")
  }

  @Test func `A file that cannot be written is told, and without a directory there is nothing to write`()
    throws
  {
    let scratch = Scratch()
    let phone = Phone(home: scratch("phone"))
    #expect(SenderJournal(phone).append(row) == nil)
    try FileManager.default.createDirectory(
      atPath: "\(phone.lsp)/senders.jsonl", withIntermediateDirectories: true)
    #expect(SenderJournal(phone).append(row)?.contains("the judge will not know") == true)
  }
}
