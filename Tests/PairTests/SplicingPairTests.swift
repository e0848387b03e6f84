@Suite("The pair on real processes: splice-out", .serialized, .waits) struct SplicingPairTests {
  private static let balanceMsat: UInt64 = 1_000_000_000

  /// Begins a splice; returns its amount and fee in msat.
  private func beginSplice(_ phone: TestPhone, _ app: HeldProcess, _ amountSat: UInt64 = 4000) throws
    -> UInt64
  {
    let begun = try phone.withdraw(amountSat, app)
    expect(begun.verb, is: "splice", "\(begun["message"] ?? "")")
    return (amountSat + (UInt64(begun["fee-sat"] ?? "") ?? 0)) * 1000
  }

  private func waitUntilDone(_ phone: TestPhone, left totalMsat: UInt64) throws {
    try phone.wait("the splice to be done") { phone.spliceStates().last == "done" }
    try phone.wait("the LSP to have completed the splice") { (try? phone.peerSpliceStates().last) == "done" }
    expect(try phone.balanceMsat(), is: Self.balanceMsat - totalMsat)
    let fundings = try phone.fundings()
    #expect(fundings.wallet != nil && fundings.wallet == fundings.peer)
  }

  @Test func `Two splices out complete, and payments settle between and after them`() throws {
    let phone = try TestPhone()
    let app = try phone.connectedApp()
    let first = try beginSplice(phone, app)
    try waitUntilDone(phone, left: first)
    let invoice = try phone.invoice(3000, app)
    try phone.receive(invoice)
    let second = try beginSplice(phone, app, 900)
    try phone.wait("the second splice to be done") { phone.spliceStates() == ["done", "done"] }
    try phone.wait("the app to tell of both ends") { app.count("sent-end") == 2 }
    expect(try phone.balanceMsat(), is: Self.balanceMsat + 3000 - first - second)
    let external = try phone.externalInvoice(5000)
    expect(try phone.send(external, app)["state"], is: "offered")
    try phone.wait("the payment to be settled") { phone.sentState(external) == "paid" }
  }

  @Test(.shows("P-1.4"))
  func
    `The app, left during a splice, has a background task named after the splice until the splice is done`()
    throws
  {
    let phone = try TestPhone(peerArguments: ["--splice-delay", "2s"])
    let app = try phone.connectedApp()
    let total = try beginSplice(phone, app)
    phone.home(app)
    try phone.wait("the app to enter the background") { app.count("background-done") == 1 }
    #expect(app.status.hasPrefix("connected") && app.count("background-end") == 0)
    expect(phone.spliceStates(), is: ["signing"])
    let name = app.messages.last { $0.message.verb == "background-begin" }?.message["name"]
    expect(name?.hasPrefix("splice w"), is: true)
    expect(
      try phone.withdraw(500, app)["message"],
      is: "another withdrawal from the channel is pending; wait until it has ended")
    try phone.wait("the app to end its background task") { app.count("background-end") == 1 }
    expect(phone.spliceStates(), is: ["done"])
    #expect(try phone.snapshot().appLock.holders.isEmpty)
    try waitUntilDone(phone, left: total)
  }

  @Test func `The extension completes a splice pending at the app's kill, and receives a payment`() throws {
    let phone = try TestPhone(peerArguments: ["--splice-delay", "1s"])
    let app = try phone.connectedApp()
    let incoming = try phone.invoice(3000, app)
    let total = try beginSplice(phone, app)
    try phone.kill(app)
    expect(phone.spliceStates(), is: ["signing"])
    try phone.pay(incoming)
    _ = try phone.pushToExtension()
    try phone.waitUntilSettled(incoming)
    try phone.wait("the splice to be done") { phone.spliceStates() == ["done"] }
    try phone.wait("the balance after splice and payment") {
      (try? phone.balanceMsat()) == Self.balanceMsat - total + 3000
    }
  }

  @Test func `A restarted LSP completes a pending splice from its ledger`() throws {
    let phone = try TestPhone(peerArguments: ["--splice-delay", "1s"])
    let app = try phone.connectedApp()
    let total = try beginSplice(phone, app)
    try phone.wait("the LSP to store the splice") { (try? phone.peerSpliceStates().isEmpty) == false }
    try phone.restartPeer()
    try waitUntilDone(phone, left: total)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
  }
}
