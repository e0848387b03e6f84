import Lightning

@Suite("The pair on real processes: payments in parts", .serialized, .waits)
struct MultiPartPairTests {
  private func isPaid(_ phone: TestPhone, _ invoice: SignedInvoice, _ parts: [String]) -> Bool {
    parts.allSatisfy { (try? phone.outcome(invoice, part: $0)) == "settled" }
  }

  /// Waits until the HTLCs of `count` parts are committed in the wallet's channel and not fulfilled.
  private func waitUntilKept(_ phone: TestPhone, _ count: Int) throws {
    try phone.wait("part 1 to be kept") { (try? phone.keptParts()) == count }
  }

  @Test
  func `P-5.1 With parts kept in memory the same payment is lost: both parts fail with mpp_timeout`() throws {
    let (phone, invoice, parts) = try onePartEach(["--keep-parts", "memory", "--multi-part-window", "4s"])
    try phone.wait("the refusals") {
      parts.allSatisfy { (try? phone.outcome(invoice, part: $0)) == "failed 0x0017" }
    }
    #expect(try phone.receivedPayments() == [] && phone.balanceMsat() == 1_000_000_000)
  }

  /// Part 1 reaches the extension, and part 2 the app to which it has handed over.
  private func onePartEach(_ options: [String]) throws -> (TestPhone, SignedInvoice, parts: [String]) {
    let phone = try TestPhone(options)
    let app = try phone.launchApp()
    let invoice = try phone.invoices(5, app)[4]
    let first = try phone.payPart(invoice, 3000)
    let (notifier, id) = try phone.pushToExtension()
    try waitUntilKept(phone, 1)
    #expect(try phone.outcome(invoice, part: first) == "offered")
    try phone.connect(app)
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    #expect(notifier.message("finished", id: id)?["reason"] == FinishReason.handedOver.rawValue)
    #expect(try phone.receivedPayments() == [])
    return (phone, invoice, [first, try phone.payPart(invoice, 2000)])
  }

  @Test
  func `A new extension process continues a killed one's wait for part 2, then part 1 fails: mpp_timeout`()
    throws
  {
    let phone = try TestPhone(["--multi-part-window", "4s"])
    let app = try phone.launchApp()
    let invoice = try phone.invoices(5, app)[4]
    app.kill(SIGKILL)
    let first = try phone.payPart(invoice, 3000)
    let (early, _) = try phone.pushToExtension()
    try waitUntilKept(phone, 1)
    try phone.wait("the beginning of its wait") { (try? phone.waits().count) == 1 }
    let began = try phone.waits()
    try phone.kill(early)
    _ = try phone.pushToExtension()
    var seen: Set<[Int64]> = []
    try phone.wait("the refusal") {
      if let now = try? phone.waits() { seen.insert(now) }
      return (try? phone.outcome(invoice, part: first)) == "failed 0x0017"
    }
    #expect(seen.isSubset(of: [began, []]), "no run restarts the wait")
    try phone.wait("the end of its wait") { (try? phone.waits()) == [] }
    #expect(try phone.receivedPayments() == [] && phone.keptParts() == 0)
  }

  @Test
  func `P-1.4 The app, left with an incomplete set of parts, stays connected until the set is complete`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.connectedApp()
    let invoice = try phone.invoice(5000, app)
    let first = try phone.payPart(invoice, 3000)
    try waitUntilKept(phone, 1)
    try phone.wait("the app to report the incomplete set") {
      phone.journal(of: "mainappd").contains(#""collecting":["#)
    }
    phone.home(app)
    try phone.wait("the app to enter the background") { app.count("background-done") == 1 }
    #expect(app.status.hasPrefix("connected") && app.count("background-end") == 0)
    #expect(
      app.messages.last { $0.message.verb == "background-begin" }?.message["name"]
        == "incoming multi-part payment")
    let second = try phone.payPart(invoice, 2000)
    try phone.wait("both parts to settle") { isPaid(phone, invoice, [first, second]) }
    try phone.wait("the app to end its background task") { app.count("background-end") == 1 }
    #expect(
      app.messages.filter { $0.message.verb == "notification" }.map { $0.message["key"] } == [
        PhoneMessages.key(ofPayment: invoice.paymentHash)
      ])
    #expect(phone.owner.map { _ in true } == true)
    #expect(try phone.receivedPayments() == [invoice.paymentHash.hex])
  }
}
