import Baton

@Suite("The pair on real processes: SIGSTOP and SIGCONT", .serialized, .waits) struct FreezeTests {
  @Test(.shows("K-29"))
  func `The app takes the node from a frozen extension; thawed, the extension writes nothing and ends`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    let frozen = try phone.connectedExtension()
    let epoch = try #require(phone.owner?.epoch)
    frozen.kill(SIGSTOP)
    let frozenAt = phone.clock.now
    try phone.connect(app)
    let connectedAt = try #require(app.instant(ofStatus: "connected", after: frozenAt))
    #expect(app.statuses.contains("receiving payment in background"))
    expect(phone.owner?.epoch, is: epoch + 1)
    #expect(connectedAt - frozenAt >= .milliseconds(3000))
    phone.report("frozen to connected (rule 5 s)", connectedAt - frozenAt)

    // A second extension finds the app beating, and leaves it the node.
    try phone.receive(invoices[0])
    let (second, id) = try phone.pushToExtension()
    try phone.wait("the second extension to wait") {
      second.status == "waiting: process \(app.pid) holds the node"
    }
    try phone.pay(invoices[1])
    try phone.wait("the text") { second.message("content", id: id) != nil }
    expect(phone.owner?.epoch, is: epoch + 1)

    let writesBefore = try phone.writes(underEpoch: epoch)
    let actedBefore = try phone.framesActedOn(epoch: epoch)
    frozen.kill(SIGCONT)
    try phone.wait("the thawed extension to end by itself") { frozen.hasEnded }
    expect(frozen.end?.how, is: .exited(code: 0))
    expect(
      frozen.messages.last { $0.message.verb == "ending" }?.message["reason"],
      is: "fenced: another process holds the node")
    expect(try phone.writes(underEpoch: epoch), is: writesBefore)
    expect(try phone.framesActedOn(epoch: epoch), is: actedBefore)
    expect(phone.owner?.epoch, is: epoch + 1)
    #expect(app.status.hasPrefix("connected"))
  }

  @Test
  func `The app names a process stopped inside a transaction, and connects after that process's end`() throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let stopped = try phone.bystander()
    try phone.wait("the holder to stop") { ProcessTable.isStopped(stopped.pid) }
    phone.open(app)
    let sentence = "blocked: process \(stopped.pid) is stopped inside a transaction"
    try phone.wait("the app to name the blocking process") { app.statuses.contains(sentence) }
    // The app's loop keeps running: a request is refused while the app is blocked.
    let refusal = #expect(throws: Wait.Failure.self) { try phone.invoice(1000, app) }
    let answer = try #require(refusal?.description)
    #expect(answer.hasPrefix("no invoice: ") && answer != "no invoice: no answer", "\(answer)")
    expect(app.status, is: sentence)
    stopped.kill(SIGKILL)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    let ended = try #require(stopped.endedAt)
    phone.report(
      "end of the blocker to connected", from: ended, to: app.instant(ofStatus: "connected", after: ended))
    try phone.receive(invoice)
  }
}
