@Suite("The pair on real processes: handover", .serialized, .waits)
struct HandoverTests {
  @Test(.shows("L-0.1", "L-T.3"))
  func `The extension receives a pushed payment once and delivers one text about it`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    try phone.pay(invoice)
    try phone.wait("the push") { !phone.pushes.isEmpty }
    let notifier = try phone.launchExtension()
    let id = phone.push(notifier, String(decoding: phone.pushes[0], as: UTF8.self))
    try phone.waitUntilSettled(invoice)
    try phone.wait("the text") { notifier.message("content", id: id) != nil }
    expect(notifier.message("content", id: id)?["title"], is: "Received payment")
    expect(notifier.message("content", id: id)?["body"], is: "+1 sat: test r1")
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    expect(notifier.message("finished", id: id)?["reason"], is: FinishReason.idle.rawValue)
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
    expect(notifier.count("content"), is: 1)
  }

  @Test(.shows("P-0.3", "P-2.1"))
  func `With the extension connected, the app shows why it waits and connects after the release`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let (notifier, id) = try phone.pushToExtension()
    try phone.wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    try phone.pay(invoice)
    let start = phone.clock.now
    // Otherwise the extension releases within 1 ms of the request, possibly before the app has looked.
    notifier.kill(SIGSTOP)
    phone.open(app)
    try phone.wait("the app to show why it waits") { app.status == "receiving payment in background" }
    notifier.kill(SIGCONT)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    phone.report(
      "released to connected", from: notifier.instant(ofStatus: "not connected", after: start),
      to: app.instant(ofStatus: "connected", after: start))
    expect(phone.owner?.role, is: .app)
    expect(phone.owner?.epoch, is: 3)
    try phone.waitUntilSettled(invoice)
    try phone.wait("the end of the service") { notifier.message("finished", id: id) != nil }
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
    expect(notifier.count("content"), is: 1)
  }
}
