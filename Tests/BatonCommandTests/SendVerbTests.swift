import Ground
import DaemonRuntime
import Platform
import Foundation
import PhonePolicy
import Testing
import WaitingTests

@testable import Baton

@Suite("baton send", .waits) struct SendVerbTests {
  private let phone = CommandPhone()

  private func externalInvoice(_ sat: Int) throws -> String {
    try phone.run("invoice", "\(sat)", "--external").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test
  func `Only an app in front pays; the progress is printed, and the judge finds the run sound`() throws {
    _ = try phone.run("up")
    let invoice = try externalInvoice(5000)
    #expect(
      try phone.run("send", invoice)
        == "baton: this needs the app in the foreground; open it first\n")
    try phone.openAndConnect()
    let lines = try phone.run("send", "lightning:\(invoice)").split(separator: "\n")
    #expect(lines.first?.hasPrefix("offered: 5,000 sat, payment hash ") == true)
    #expect(lines.last?.hasPrefix("settled: 5,000 sat in ") == true)
    #expect(try phone.run("send", invoice) == "baton: this invoice is paid already; ask for a new one\n")
    let other = JSONValue(parsing: Array(try phone.run("send", try externalInvoice(7), "--json").utf8))
    #expect(other?["state"]?.text == "settled")
    #expect(other?["amount_msat"]?.uint == 7000)
    #expect(try phone.run("inspect", "\(phone.phone.container)").contains("payments sent (2)"))
    let verdict = try phone.run("judge")
    #expect(verdict.contains("2 outgoing payments, 2 paid, 0 failed."))
    #expect(verdict.contains("Verdict: sound."), "\(verdict)")
  }

  @Test
  func
    `P-1.3 In the background the app stays awake for an outgoing payment, shown by status, then is suspended`()
    throws
  {
    _ = try phone.run("up", "--arrival-delay", CommandPhone.delay(seconds: 4))
    try phone.openAndConnect()
    let invoice = try externalInvoice(5000)
    let payment = try phone.begin("send", invoice, into: "payment")
    try Wait.until("the payment to be offered") { phone.scratch.text("payment").hasPrefix("offered") }
    let hasty = try phone.begin("send", try externalInvoice(21), "--timeout", "10ms", into: "hasty")
    #expect(phone.scratch.end(hasty) == .exited(code: ExitCode.tooSlow.rawValue))
    #expect(
      phone.scratch.text("hasty").hasSuffix(
        "baton: no outcome in 10 ms; the payment stays in the channel; `baton payments` shows how it ends\n"))
    _ = try phone.run("app", "home")
    try Wait.until("the app to be at work in the background") {
      try phone.run("status").contains("at work on: outgoing payment ")
    }
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    #expect(status?["at_work_on"]?.elements?.first?.text?.hasPrefix("outgoing payment ") == true)
    #expect(status?["sending_payments"]?.int == 2)
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\nsettled: 5,000 sat"))
    try phone.waitUntilAway()
    // A debug build, which a sanitized phone runs, is never stopped.
    if !CommandPhone.isSanitized {
      try Wait.until("the app to be suspended") { try phone.run("status").contains("suspended") }
      #expect(try phone.run("ps").contains(try Regex("mainappd +\\d+ +suspended ")))
      #expect(
        try phone.run("invoice", "5")
          == "baton: the app is suspended, and only the app can do that; open it first\n")
      for verb in ["freeze", "thaw"] {
        let refusal = try phone.run(verb, "app")
        #expect(
          refusal.hasPrefix("baton: the app (process ")
            && refusal.hasSuffix(
              ") is suspended by iosd, which continues it when it is needed; `baton app open` does\n"),
          "\(refusal)")
      }
    }
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound."), "\(verdict)")
  }

  @Test
  func `status shows a pending payment, and send prints that the app is gone and how the payment ends`()
    throws
  {
    _ = try phone.run("up", "--arrival-delay", CommandPhone.delay(seconds: 10))
    try phone.openAndConnect()
    #expect(try !phone.run("status").contains("sending "))
    let payment = try phone.begin("send", try externalInvoice(5000), into: "payment")
    try Wait.until("the payment to be offered") { phone.scratch.text("payment").hasPrefix("offered") }
    let line = try Regex("\\nsending +1 payment pending, 5,000 sat\\n")
    #expect(try phone.run("status").contains(line))
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    #expect(status?["sending_payments"]?.int == 1)
    #expect(status?["sending_msat"]?.uint == 5_000_000)
    _ = try phone.run("app", "quit")
    let gone = "\nthe app does not run; open it, or press ^C: the payment stays in the channel\n"
    try Wait.until("send to print that the app is gone") {
      phone.scratch.text("payment").contains(gone)
    }
    #expect(try phone.run("status").contains(line), "also when no process runs")
    try phone.openAndConnect()
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\(gone)settled: 5,000 sat in "))
    #expect(try !phone.run("status").contains("sending "))
    #expect(try phone.run("status", "--json").contains(#""sending_payments":0,"sending_msat":0"#))
  }

  @Test
  func
    `A waiting baton send gives advice by the app's state, and none while the app can complete the payment`()
  {
    func sentence(_ state: String) -> String? {
      var facts = PhoneFacts()
      facts.app.state = state
      return PaymentEnder.sentence(.said(facts))
    }
    #expect(
      sentence("suspended") == "the app is suspended; open it, or press ^C: the payment stays in the channel")
    #expect(sentence("not running")?.hasPrefix("the app does not run; open it, ") == true)
    #expect(
      PaymentEnder.sentence(.notRunning)?.hasPrefix("the phone is down; start it with `baton up`") == true)
    for state in ["launching", "foreground", "background", "terminating"] { #expect(sentence(state) == nil) }
    #expect(PaymentEnder.sentence(.silent("it is stopped")) == nil)
  }

  @Test
  func `--amount is refused for an invoice with an amount, and a payment above the balance is refused`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try externalInvoice(100)
    #expect(
      try phone.run("send", invoice, "--amount", "7")
        == "baton: the invoice has an amount of 100 sat; omit --amount\n")
    let dear = try phone.run("send", try externalInvoice(20_000_000))
    #expect(
      dear.contains(
        try Regex("the wallet can send [0-9,]+ sat now, less than the payment's 20,000,000 sat; "))
    )
  }

  @Test
  func `baton send names the next step after a failed payment and after one whose outcome was lost`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let forgotten = try phone.run("invoice", "5", "--external", "--forgotten")
      .trimmingCharacters(in: .whitespacesAndNewlines)
    let refused = try phone.run("send", forgotten)
    #expect(
      refused.contains("\nfailed with incorrect_or_unknown_payment_details (0x400f): ")
        && refused.contains("; the money is back, ask for a new invoice\n"), "\(refused)")
    let invoice = try externalInvoice(7)
    #expect(try phone.run("send", invoice).contains("\nsettled: 7 sat"))
    _ = try phone.run("down")
    #expect(try phone.run("judge").contains("2 outgoing payments, 1 paid, 1 failed."))
    let wallet = try Connection(path: "\(phone.phone.container)/node.sqlite", access: .readWrite)
    try wallet.execute("UPDATE outgoing_payments SET state = 'lost', preimage = NULL WHERE state = 'paid'")
    _ = try phone.run("up")
    try phone.openAndConnect()
    #expect(
      try phone.run("send", invoice)
        == "baton: an earlier payment of this invoice may have succeeded: its outcome was lost with the wallet's database; ask the recipient, and if the invoice is not paid, ask for a new one\n"
    )
    var lost = SentPayment(paymentHash: "00", amountMsat: 7000, took: .zero)
    lost.state = "lost"
    #expect(
      lost.sentence
        == "lost: the outcome was lost with the wallet's database, and the payment may be settled; ask the recipient before you pay a new invoice"
    )
    #expect(lost.document.json.contains("the payment may be settled; ask the recipient"))
  }

  @Test
  func `The judge reports a failed payment that arrived, a paid one that did not, and an invoice paid twice`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("send", try externalInvoice(5000))
    _ = try phone.run("down")
    let wallet = try Connection(path: "\(phone.phone.container)/node.sqlite", access: .readWrite)
    let ledger = try Connection(path: "\(phone.phone.lsp)/ledger.sqlite", access: .readWrite)
    #expect(try phone.run("judge").contains("Verdict: sound."))
    for (database, change, undo, sentence) in [
      (
        wallet, "UPDATE outgoing_payments SET state = 'failed', failure_code = 16399",
        "UPDATE outgoing_payments SET state = 'paid', failure_code = NULL",
        "failed, but its recipient was paid"
      ),
      (
        ledger, "UPDATE external_invoices SET paid_at_ns = NULL",
        "UPDATE external_invoices SET paid_at_ns = made_at_ns",
        "paid, but its recipient was not paid"
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
      try database.execute(change)
      let verdict = try phone.run("judge")
      #expect(verdict.contains(sentence), "\(verdict)")
      try database.execute(undo)
    }
  }
}
