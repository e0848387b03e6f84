import Platform

/// What the real app does with its node for a silent push, by its journal and its peer's ledger.
@Suite("The pair on real processes: the app's node from start to stop", .serialized, .waits)
struct AppNodeTests {
  /// A phone with an app in the background and a payment that the LSP holds for it.
  private func waiting() throws -> (phone: TestPhone, app: HeldProcess, hash: String) {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    try phone.pay(invoice)
    return (phone, app, invoice.paymentHash.hex)
  }

  /// The journal since a moment has these words in this order.
  private func follow(_ marks: [String], in journal: Substring) {
    var rest = journal
    for mark in marks {
      guard let found = rest.range(of: mark) else {
        Issue.record("the journal lacks, at this place: \(mark)")
        return
      }
      rest = rest[found.upperBound...]
    }
  }

  /// Message types that the LSP got on the newest connection.
  private func received(_ phone: TestPhone) throws -> [Int64] {
    let ledger = try Connection(
      path: "\(phone.home)/lsp/ledger.sqlite", access: .readOnly, busyTimeoutMs: 2000)
    return try ledger.rows(
      """
      SELECT bytes FROM frames WHERE direction = 'in' AND acted = 1
      AND connection = (SELECT max(id) FROM connections) ORDER BY id
      """
    ).map {
      let bytes = try $0.blob(0)
      return Int64(bytes[0]) << 8 | Int64(bytes[1])
    }
  }

  @Test(.shows("B-1.5.2a", "B-1.5.2b", "B-1.5.2c", "B-1.5.2d", "B-1.5.2f", "K-19"))
  func `For a silent push the real app claims, receives, stops its node, unlocks`()
    throws
  {
    let (phone, app, hash) = try waiting()
    let before = phone.journal(of: "mainappd").count
    app.send(
      ControlMessage(
        "push", ["id": "1", "silent": "yes", "deadline-ms": "30000"],
        body: Array(#"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#.utf8)))
    try phone.wait("the push to be completed") { app.message("push-done", id: 1) != nil }
    expect(app.message("push-done", id: 1)?["result"], is: "new-data")
    follow(
      [
        #""claim""#, #""startNode""#, #""dialled""#, #""received":{"_0":{"channelReestablish"#,
        #""received":{"_0":{"addHTLC"#, #""stopNode""#, #""dropLock""#, #""completed""#,
      ], in: phone.journal(of: "mainappd").dropFirst(before))
    // init, channel_reestablish, and only then the HTLC's fulfilment.
    let types = try received(phone)
    let reestablished = try #require(types.firstIndex(of: 136))
    expect(types.first, is: 16)
    #expect(reestablished < (try #require(types.firstIndex(of: 130))))
    expect(try phone.receivedPayments(), is: [hash])
  }

  @Test(.shows("B-1.5.1d"))
  func `When the time for a silent push is up the real app stops its node, unlocks, and completes the push`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    _ = try phone.invoices(1, app)
    let before = phone.journal(of: "mainappd").count
    app.send(
      ControlMessage(
        "push", ["id": "1", "silent": "yes", "deadline-ms": "30000"],
        body: Array(#"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#.utf8)))
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    app.send(ControlMessage("time-will-expire", ["id": "1"]))
    try phone.wait("the push to be completed") { app.message("push-done", id: 1) != nil }
    follow(
      [#""stopNode""#, #""dropLock""#, #""completed""#], in: phone.journal(of: "mainappd").dropFirst(before))
    #expect(try phone.snapshot().appLock.holders.isEmpty)
  }
}
