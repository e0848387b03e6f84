import Ground

/// The app that completes what its extension announces, with all four programs.
@Suite("The app that completes payments, on the real phone", .serialized, .waits) struct CompletingAppTests {
  private static let order = ["setup", "start", "peers", "sync", "deferred"]

  @Test(.shows("B-1.4.1", "B-1.4.2", "B-1.4.3", "B-1.4.4", "B-1.4.5", "B-1.4.6"))
  func `A tap carries the hash to the app, also after a restart of the phone`()
    throws
  {
    let phone = try CompletingPhone()
    let notification = try phone.announce(try phone.invoice(sats: 5000))
    let record = try #require(try phone.store.all().first?.record)
    try phone.restartPhone()
    try phone.tap(notification)
    let screen = try phone.waitForState("completed")
    #expect(screen["text"] as? String == "Received 5000 sats" && screen["amount_sat"] as? Int == 5000)
    try Wait.until("the deferred work has begun") { try phone.steps().contains("deferred") }
    expect(try phone.steps(), is: Self.order)
    let told = try phone.journal().filter { $0.contains(#""told""#) }
    #expect(told.count == 1 && told.first?.contains(record.paymentHash.hex) == true)
    try phone.waitUntilNothingIsStored()
    // Once received by the app's own node, although record and tap named it too.
    expect(try phone.count(#""core":"incoming","event":{"received""#), is: 1)
  }

  @Test(.shows("B-1.1.6", "B-1.5s.1", "B-1.5s.2", "B-1.5s.3", "B-1.5s.7"))
  func `Opened by its icon, the app finds the record: connecting, completing, completed`()
    throws
  {
    let phone = try CompletingPhone()
    _ = try phone.announce(try phone.invoice(sats: 7000))
    _ = try phone.baton("app", "open")
    _ = try phone.waitForState("completed")
    expect(try phone.states(), is: ["connecting", "completing", "completed"])
    expect(try phone.baton("app", "screen").output, is: "Received 7000 sats\n")
    try phone.waitUntilNothingIsStored()
    // The user leaves and comes back: nothing is shown twice.
    _ = try phone.baton("app", "home")
    _ = try phone.baton("app", "open")
    try Wait.until("the app's page is shown") { try phone.screen()["screen"] as? String == "main" }
  }

  @Test(.shows("G-1", "B-1.5s.4", "B-1.5s.5", "B-1.5s.6"))
  func `A payment whose hold has ended is expired; its buttons connect again and copy the sentence`()
    throws
  {
    let phone = try CompletingPhone(holdSeconds: 6)
    let notification = try phone.announce(try phone.invoice())
    try Wait.until("the hold has ended") { try phone.phone.peerPayments().last?.state == "failed" }
    try phone.tap(notification)
    let screen = try phone.waitForState("expired")
    expect(screen["text"] as? String, is: "Payment expired or canceled")
    expect(screen["detail"] as? String, is: "Ask sender to retry")
    expect(screen["buttons"] as? [String], is: ["retry", "copy"])
    expect(try phone.count(#""event":{"holdEnded""#), is: 1)
    // One for the invoice was in another process.
    expect(try phone.count(#""event":{"dialled""#), is: 1 * 2)
    let retried = try phone.baton("app", "retry")
    expect(retried.code, is: 0, "\(retried)")
    try Wait.until("the app connects once more") { try phone.count(#""event":{"holdEnded""#) == 2 }
    expect(try phone.states(), is: ["connecting", "expired", "connecting", "expired"])
    _ = try phone.waitForState("expired")
    #expect(phone.pasteboard == nil)
    // iosd cannot write there: the app has pressed the button all the same.
    let obstacle = "\(phone.home)/os/pasteboard.new"
    try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
    let kept = try phone.baton("app", "copy")
    #expect(kept.code == 8 && kept.errors.contains("the pasteboard keeps what it has"), "\(kept)")
    try FileManager.default.removeItem(atPath: obstacle)
    expect(try phone.baton("app", "copy").code, is: 0)
    expect(phone.pasteboard, is: "My wallet needs me to open the app to receive. Please retry in 10 seconds.")
    let mode = try FileManager.default.attributesOfItem(atPath: "\(phone.home)/os/pasteboard")[
      .posixPermissions]
    expect(mode as? Int, is: 0o600)
    try phone.waitUntilNothingIsStored()
    _ = try phone.baton("app", "home")
    let refused = try phone.baton("app", "copy")
    #expect(refused.code == 8 && refused.errors.contains("this needs the app in the foreground"))
    #expect(try phone.screen()["text"] == nil)
  }

  @Test(.shows("B-1.5.1c", "B-1.5.1e"))
  func `A silent push is handled under ProcessIncomingHTLC, which the phone names while it lasts`()
    throws
  {
    let phone = try CompletingPhone(["--start-delay", "1s"])
    _ = try phone.baton("app", "open")
    let invoice = try phone.baton("invoice", "5000").output.trimmingCharacters(in: .whitespacesAndNewlines)
    try phone.waitUntilConnected()
    _ = try phone.baton("app", "home")
    try Wait.until("the app has released its node") { try phone.phone.facts().app.status?["code"] == "idle" }
    expect(try phone.baton("pay", invoice, "--no-wait").code, is: 0)
    try Wait.until("the phone names the task") {
      try phone.phone.facts().app.ownTasks == ["ProcessIncomingHTLC"]
    }
    #expect(try phone.baton("status").output.contains("ProcessIncomingHTLC"))
    try Wait.until("the payment is received in the background") {
      try phone.phone.pushes().first?.fateDetail == "new-data"
    }
    try Wait.until("the task has ended") { try phone.phone.facts().app.ownTasks == nil }
    expect(try phone.steps().suffix(4), is: ["setup", "start", "peers", "sync"])
    // What was received meanwhile is shown when the user comes.
    try Wait.until("the payment is announced") { try phone.phone.notifications().contains { $0.push != nil } }
    try phone.waitUntilStored()
    _ = try phone.baton("app", "open")
    expect(try phone.waitForState("completed")["text"] as? String, is: "Received 5000 sats")
    try checkThatNoFileHasTheHash(phone)
  }

  /// The app has told of the payment too, by a notification of its own: iOS keeps what the app calls it.
  private func checkThatNoFileHasTheHash(_ phone: CompletingPhone) throws {
    let hash = try #require(try phone.phone.peerPayments().last?.paymentHash)
    #expect(try phone.phone.notifications().contains { $0.key != nil })
    let os = "\(phone.home)/os"
    let files = try FileManager.default.subpathsOfDirectory(atPath: os)
    for file in files {
      guard let bytes = FileManager.default.contents(atPath: "\(os)/\(file)") else { continue }
      #expect(bytes.range(of: Data("\(hash)".utf8)) == nil, "\(file) has the payment hash")
    }
  }

  @Test(.shows("B-S.3"))
  func `A link opens its page of the app, another path only the app, another scheme nothing`()
    throws
  {
    let phone = try CompletingPhone()
    expect(try phone.baton("app", "open", "--url", "bitkit://subscriptions").code, is: 0)
    try Wait.until("the page is shown") { try phone.screen()["screen"] as? String == "subscriptions" }
    _ = try phone.baton("app", "home")
    expect(try phone.baton("app", "open", "--url", "bitkit://nowhere").code, is: 0)
    try Wait.until("the app's page is shown") { try phone.screen()["screen"] as? String == "main" }
    expect(try phone.count("the app has no page for the link bitkit://nowhere"), is: 1)
    let refused = try phone.baton("app", "open", "--url", "phoenix://subscriptions")
    #expect(
      refused.code == 8 && refused.errors.contains("no installed app has registered the scheme `phoenix`"))
    expect(try phone.baton("app", "open", "--url", "subscriptions").code, is: 8)
  }

  @Test(.shows("B-S.2", "B-S.4"))
  func `Paykit's task launches the app, waits until the node is ready, and is scheduled again`()
    throws
  {
    let phone = try CompletingPhone(["--time-scale", "1000", "--task-deferral", "0"])
    let pid = try #require(
      try phone.phone.ask(.iosd, ControlMessage("open")).integerIfPresent("pid", in: 1...Int32.max))
    let poll = "to.bitkit.paykit.poll"
    try Wait.until("the app has asked for its tasks") {
      try phone.phone.tasks().contains { $0.identifier == poll }
    }
    kill(pid, SIGKILL)
    // iOS runs processing tasks while the phone is not used.
    try phone.phone.ask(.iosd, ControlMessage("device", ["locked": "yes"]))
    try Wait.until("the poll has succeeded") {
      try phone.phone.tasks().contains { $0.identifier == poll && $0.isSuccess == true }
    }
    #expect(try phone.phone.tasks().filter { $0.identifier == poll }.count > 1)
    #expect(try phone.count("the background task \(poll) is done: the node was ready after") >= 1)
    #expect(try phone.count(#""event":{"nodeWanted""#) >= 1)
    expect(try phone.steps().prefix(4), is: ["setup", "start", "peers", "sync"])
  }

  @Test func `The key for pushes is an item that the extension can read after the first unlock`() throws {
    let phone = try CompletingPhone()
    _ = try phone.baton("app", "open")
    let items = try FileManager.default.contentsOfDirectory(atPath: "\(phone.home)/Keychain/items")
    let texts = try items.map {
      try String(contentsOfFile: "\(phone.home)/Keychain/items/\($0)", encoding: .utf8)
    }
    let item = try #require(texts.first { $0.contains(#""push-key""#) })
    #expect(item.contains(#""after-first-unlock""#))
    #expect(try phone.count(#""pushKey""#) >= 1)
  }
}
