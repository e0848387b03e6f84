@Suite("The pair on real processes: takeover after a death", .serialized, .waits) struct TakeoverTests {
  @Test(.shows("P-3.1"))
  func `After kill -9 of a connected extension the app owns the next epoch and receives`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let notifier = try phone.connectedExtension()
    let epoch = phone.owner?.epoch ?? 0
    try phone.pay(invoice)
    notifier.kill(SIGKILL)
    try phone.connect(app)
    expect(phone.owner?.epoch, is: epoch + 1)
    expect(phone.owner?.role, is: .app)
    try phone.waitUntilSettled(invoice)
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
    phone.report(
      "kill -9 to connected", from: notifier.endedAt,
      to: app.instant(ofStatus: "connected", after: notifier.endedAt ?? phone.clock.now))
  }

  // From the push (line 5) over the claim, the dial and the payment (about line 20) to the settlement (about line 31).
  // Beats write lines too, so there are always enough.
  @Test(arguments: stride(from: 5, through: 31, by: 2).map(Int?.some) + [nil])
  func `After kill -9 of the extension at a given journal line the app receives the payment once`(lines: Int?)
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    try phone.pay(invoice)
    let (notifier, _) = try phone.pushToExtension()
    if let lines {
      try phone.wait("\(lines) lines") {
        phone.journal(of: "notifyextd").utf8.count { $0 == UInt8(ascii: "\n") } >= lines
      }
    } else {
      try phone.waitUntilSettled(invoice)
    }
    notifier.kill(SIGKILL)
    phone.open(app)
    try phone.waitUntilSettled(invoice)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    expect(phone.owner?.role, is: .app)
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
  }

  @Test(.shows("P-3.1"))
  func `With wait-stale the app takes the node from a dead extension no sooner than 5 s after the last beat`()
    throws
  {
    // The standard 5 s, so that an app delayed before its first look still has to wait.
    let phone = try TestPhone(["--takeover", "wait-stale"])
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    try phone.pay(invoice)
    let notifier = try phone.connectedExtension()
    try phone.kill(notifier)
    let lastBeat = try #require(try phone.snapshot().extensionBeat)
    try phone.connect(app)
    let claim = try #require(try phone.snapshot().claims.last)
    expect(claim.row.role, is: .app)
    #expect(claim.bootClock - lastBeat.bootClock >= .seconds(5))
    #expect(app.statuses.contains("receiving payment in background"))
    phone.report("last beat to claim (rule 5 s)", claim.bootClock - lastBeat.bootClock)
    try phone.waitUntilSettled(invoice)
  }
}
