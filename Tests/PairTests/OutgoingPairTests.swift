@Suite("The pair on real processes: outgoing payments", .serialized, .waits)
struct OutgoingPairTests {
  @Test
  func `An invoice is paid once; paying it again, paying too much or paying an own invoice is refused`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.connectedApp()
    let invoice = try phone.externalInvoice(5000)
    #expect(try phone.send(invoice, app)["state"] == "offered")
    try phone.wait("the payment to be settled") { phone.sentState(invoice) == "paid" }
    #expect(
      try phone.send(invoice, app)["message"] == "this invoice is paid already; ask for a new one")
    #expect(
      try phone.send(try phone.invoice(5000, app), app)["message"]
        == "this wallet made the invoice; pay an invoice of another wallet")
    let dear = try phone.externalInvoice(2_000_000_000)
    #expect(try phone.send(dear, app)["message"]?.hasPrefix("the wallet can send 999,995 sat now") == true)
    try phone.wait("the amount to be deducted from the balance") {
      (try? phone.balanceMsat()) == 1_000_000_000 - 5000
    }
  }

  @Test
  func
    `P-1.3 The app, left during an outgoing payment, keeps the node until the payment is settled, then unlocks`()
    throws
  {
    let phone = try TestPhone(peerArguments: ["--arrival-delay", "2s"])
    let app = try phone.connectedApp()
    let invoice = try phone.externalInvoice(5000)
    #expect(try phone.send(invoice, app)["state"] == "offered")
    phone.home(app)
    try phone.wait("the app to enter the background") { app.count("background-done") == 1 }
    #expect(app.status.hasPrefix("connected") && app.count("background-end") == 0)
    #expect(phone.sentState(invoice) == "pending")
    #expect(
      app.messages.last { $0.message.verb == "background-begin" }?.message["name"]
        == "outgoing payment \(invoice.paymentHash.hex.prefix(8))")
    try phone.wait("the app to end its background task") { app.count("background-end") == 1 }
    #expect(phone.sentState(invoice) == "paid")
    #expect(try phone.snapshot().appLock.holders.isEmpty)
  }
}
