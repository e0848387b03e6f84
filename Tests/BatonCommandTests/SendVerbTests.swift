import Platform
import PhonePolicy

@testable import Baton

@Suite("baton send", .waits) struct SendVerbTests {
  private let phone = CommandPhone()

  private func externalInvoice(_ sat: Int) throws -> String {
    try phone.run("invoice", "\(sat)", "--external").trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `iosd answers wallet-news once the app has ended a payment`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let client = try phone.phone.connect(to: .iosd)
    try client.send(ControlMessage("wallet-news"))
    let invoice = try externalInvoice(21)
    #expect(throws: ControlClientError.self) { try client.receive(timeout: .milliseconds(1)) }
    #expect(try phone.run("send", invoice).contains("settled"))
    expect(try client.receive().verb, is: "ok")
  }

  @Test(.shows("P-1.3"))
  func `In the background the app stays awake for an outgoing payment, shown by status, then is suspended`()
    throws
  {
    _ = try phone.run("up", "--arrival-delay", CommandPhone.delay(seconds: 4))
    try phone.openAndConnect()
    let invoice = try externalInvoice(5000)
    let payment = try phone.begin("send", invoice, into: "payment")
    try Wait.until("the payment to be offered") { phone.scratch.text("payment").hasPrefix("offered") }
    let hasty = try phone.begin("send", try externalInvoice(21), "--timeout", "10ms", into: "hasty")
    expect(hasty.end(), is: .exited(code: ExitCode.tooSlow.rawValue))
    #expect(
      phone.scratch.text("hasty").hasSuffix(
        "baton: no outcome in 10 ms; the payment stays in the channel; `baton list payments` shows how it ends\n"
      ))
    _ = try phone.run("app", "home")
    try Wait.until("the app to be at work in the background") {
      try phone.run("status").contains("at work on: outgoing payment ")
    }
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    expect(
      status?["iosd"]?["app"]?["own_tasks"]?.elements?.first?.text?.hasPrefix("outgoing payment "), is: true)
    expect(status?["sending_payments"]?.int, is: 2)
    expect(payment.end(), is: .exited(code: 0))
    #expect(phone.scratch.text("payment").contains("\nsettled: 5,000 sat"))
    try phone.waitUntilAway()
    // A debug build, which a sanitized phone runs, is never stopped.
    if !CommandPhone.isSanitized {
      try Wait.until("the app to be suspended") { try phone.run("status").contains("suspended") }
      #expect(try phone.run("list", "processes").contains(try Regex("mainappd +\\d+ +suspended ")))
      expect(
        try phone.run("invoice", "5"),
        is: "baton: the app is suspended, and only the app can do that; open it first\n")
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
  func
    `A waiting baton send gives advice by the app's state, and none while the app can complete the payment`()
  {
    func sentence(_ state: String) -> String? {
      var facts = PhoneFacts()
      facts.app.state = state
      return PaymentEnder.sentence(.said(facts))
    }
    expect(
      sentence("suspended"),
      is: "the app is suspended; open it, or press ^C: the payment stays in the channel")
    expect(sentence("not running")?.hasPrefix("the app does not run; open it, "), is: true)
    expect(
      PaymentEnder.sentence(.notRunning)?.hasPrefix("the phone is down; start it with `baton up`"), is: true)
    for state in ["launching", "foreground", "background", "terminating"] { #expect(sentence(state) == nil) }
    #expect(PaymentEnder.sentence(.silent("it is stopped")) == nil)
  }
}
