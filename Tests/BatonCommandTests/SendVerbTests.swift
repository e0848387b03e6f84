import DaemonRuntime
import Database
import Foundation
import Testing

@testable import BatonCommand

/// The person pays, as it is typed, and does what persons do.
@Suite("baton send") struct SendVerbTests {
  private let phone = CommandPhone()

  private func invoiceElsewhere(_ sat: Int) throws -> String {
    try phone.run("invoice", "\(sat)", "--elsewhere").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("Only an app in front pays; its story is told, and the judge finds it in order")
  func paid() throws {
    _ = try phone.run("up")
    let invoice = try invoiceElsewhere(5000)
    #expect(
      try phone.run("send", invoice) == "baton: only a person with the app in front pays; open it first\n")
    try phone.openAndConnect()
    let lines = try phone.run("send", "lightning:\(invoice)").split(separator: "\n")
    #expect(lines.first?.hasPrefix("offered: 5,000 sat for ") == true)
    #expect(lines.last?.hasPrefix("settled: 5,000 sat in ") == true)
    #expect(try phone.run("send", invoice) == "baton: This invoice is paid already; ask for a new one.\n")
    let other = JSONValue(parsing: Array(try phone.run("send", try invoiceElsewhere(7), "--json").utf8))
    #expect(other?["state"]?.text == "settled")
    #expect(other?["amount_msat"]?.uint == 7000)
    #expect(try phone.run("inspect", "\(phone.phone.container)").contains("payments sent (2)"))
    let verdict = try phone.run("judge")
    #expect(verdict.contains("2 payments of the wallet's own, 2 paid, 0 failed."))
    #expect(verdict.contains("Verdict: sound."), "\(verdict)")
  }

  @Test(
    "P-1.3 Home half-way: the phone is told what the app is at work on, and it is suspended when that is over"
  )
  func namedTask() throws {
    _ = try phone.run("up", "--elsewhere-delay", "4s")
    try phone.openAndConnect()
    let invoice = try invoiceElsewhere(5000)
    let payment = try phone.begin("send", invoice, into: "payment")
    try phone.wait("the payment to be offered") { phone.scratch.text("payment").hasPrefix("offered") }
    _ = try phone.run("app", "home")
    try phone.wait("the app to be at work in the background") {
      try phone.run("status").contains("at work on: outgoing payment ")
    }
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\nsettled: 5,000 sat"))
    try phone.waitUntilAway()
    // A debug build, which a sanitized phone runs, is never stopped.
    if !CommandPhone.isSanitized {
      try phone.wait("the app to be suspended") { try phone.run("status").contains("suspended") }
    }
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound."), "\(verdict)")
  }

  @Test("Each end has its own sentence, and the next step: what was refused, what is paid, and what may be")
  func ends() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let forgotten = try phone.run("invoice", "5", "--elsewhere", "--forgotten")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let refused = try phone.run("send", forgotten)
    #expect(
      refused.contains("\nfailed with incorrect_or_unknown_payment_details (0x400f): ")
        && refused.contains("; the money is back, ask for a new invoice\n"), "\(refused)")
    let invoice = try invoiceElsewhere(7)
    #expect(try phone.run("send", invoice).contains("\nsettled: 7 sat"))
    _ = try phone.run("down")
    #expect(try phone.run("judge").contains("2 payments of the wallet's own, 1 paid, 1 failed."))
    let wallet = try Connection(path: "\(phone.phone.container)/node.sqlite", access: .readWrite)
    try wallet.execute("UPDATE outgoing_payments SET state = 'lost', preimage = NULL WHERE state = 'paid'")
    _ = try phone.run("up")
    try phone.openAndConnect()
    #expect(
      try phone.run("send", invoice)
        == "baton: This invoice may be paid: how its payment ended was lost with the wallet's database. Ask the recipient; if it is not paid, ask for a new one.\n"
    )
    var lost = SentPayment(paymentHash: "00", amountMsat: 7000, took: .zero)
    lost.state = "lost"
    #expect(
      lost.sentence
        == "lost: how it ended was lost with the wallet's database, and it may be paid; ask the recipient, and for a new invoice if it is not"
    )
    #expect(lost.json.text.contains("it may be paid; ask the recipient"))
  }

  @Test("The judge sees what was taken and called failed, paid and never there, or paid twice")
  func crimes() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("send", try invoiceElsewhere(5000))
    _ = try phone.run("down")
    let wallet = try Connection(path: "\(phone.phone.container)/node.sqlite", access: .readWrite)
    let ledger = try Connection(path: "\(phone.phone.lsp)/ledger.sqlite", access: .readWrite)
    #expect(try phone.run("judge").contains("Verdict: sound."))
    for (database, crime, undo, sentence) in [
      (
        wallet, "UPDATE outgoing_payments SET state = 'failed', failure_code = 16399",
        "UPDATE outgoing_payments SET state = 'paid', failure_code = NULL", "failed, and it was taken"
      ),
      (
        ledger, "UPDATE elsewhere SET paid_at_ns = NULL", "UPDATE elsewhere SET paid_at_ns = made_at_ns",
        "paid, and it has not arrived"
      ),
      (
        wallet, "UPDATE outgoing_payments SET preimage = zeroblob(32)", "SELECT 1",
        "with a preimage of another hash"
      ),
      (
        wallet,
        "INSERT INTO outgoing_payments SELECT 2, payment_hash, amount_msat, payment_secret, 1, state, preimage, failure_code, begun_epoch, begun_wall_ns, ended_epoch, ended_wall_ns FROM outgoing_payments",
        "SELECT 1", "has paid one invoice 2 times"
      ),
    ] {
      if sentence.contains("2 times") { try wallet.execute("DROP INDEX outgoing_payments_once") }
      try database.execute(crime)
      let verdict = try phone.run("judge")
      #expect(verdict.contains(sentence), "\(verdict)")
      try database.execute(undo)
    }
  }
}
