@Suite("The pair on real processes: outgoing payments", .serialized, .waits) struct OutgoingPairTests {
  @Test(.shows("P-1.3"))
  func `The app, left during an outgoing payment, keeps the node until the payment is settled, then unlocks`()
    throws
  {
    let phone = try TestPhone(peerArguments: ["--arrival-delay", "2s"])
    let app = try phone.connectedApp()
    let invoice = try phone.externalInvoice(5000)
    expect(try phone.send(invoice, app)["state"], is: "offered")
    phone.home(app)
    try phone.wait("the app to enter the background") { app.count("background-done") == 1 }
    #expect(app.status.hasPrefix("connected") && app.count("background-end") == 0)
    #expect(phone.sentState(invoice) == "pending" && app.count("sent-end") == 0)
    expect(
      app.messages.last { $0.message.verb == "background-begin" }?.message["name"],
      is: "outgoing payment \(invoice.paymentHash.hex.prefix(8))")
    try phone.wait("the app to end its background task") { app.count("background-end") == 1 }
    #expect(phone.sentState(invoice) == "paid" && app.count("sent-end") == 1)
    #expect(try phone.snapshot().appLock.holders.isEmpty)
  }
}
