@Suite("The pair on real processes: the app's work in the background", .serialized, .waits)
struct BackgroundTests {
  private let sync = "com.example.lightning.sync"
  private let cleaning = "com.example.lightning.processing"

  private func run(_ number: UInt64, of identifier: String? = nil) -> ControlMessage {
    ControlMessage("task", ["identifier": identifier ?? sync, "run": "\(number)", "time-ms": "30000"])
  }

  @Test(.shows("D-1.1", "D-1.5", "K-34"))
  func `The app submits a refresh when opened, and the next before it completes a run`()
    throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    _ = try phone.invoices(1, app)
    expect(app.count("task-submit"), is: 1)
    let epoch = phone.owner?.epoch
    let before = app.messages.count
    app.send(run(1))
    try phone.wait("the run to be completed") { app.count("task-done") == 1 }
    let said = app.messages[before...].map(\.message).filter { $0.verb.hasPrefix("task") }
    expect(said.map(\.verb), is: ["task-submit", "task-done"])
    expect(said.last?["success"], is: "yes")
    expect(said.last?["run"], is: "1")
    // The app has read the wallet without claiming the node.
    expect(phone.owner?.epoch, is: epoch)
    #expect(phone.journal(of: "mainappd").contains("the channel can be read"))
  }

  @Test(.shows("D-1.4", "K-33"))
  func `A run whose node has not started when its time is up is completed once, without success`()
    throws
  {
    let phone = try TestPhone(["--wallet", "bitkit", "--start-delay", "30s"])
    let app = try phone.launchApp()
    let poll = "to.bitkit.paykit.poll"
    app.send(run(1, of: poll))
    try phone.wait("the node's start") { app.status == "connecting" }
    app.send(ControlMessage("task-will-expire", ["identifier": poll, "run": "1"]))
    try phone.wait("the run to be completed") { app.count("task-done") == 1 }
    expect(app.messages.last { $0.message.verb == "task-done" }?.message["success"], is: "no")
    try phone.wait("the release") { (try? phone.snapshot().appLock.holders.isEmpty) == true }
    app.send(run(2))
    try phone.wait("the next run to be completed") { app.count("task-done") == 2 }
    expect(app.messages.last { $0.message.verb == "task-done" }?.message["run"], is: "2")
  }

  /// Without the journal directory the app cannot do the processing task's work.
  @Test(.shows("D-2.3", "D-2.4"))
  func `The app completes a processing task with success, and without if its work fails`() throws {
    let phone = try TestPhone(["--clean-journals"])
    let app = try phone.launchApp()
    func result(of number: Int) throws -> String? {
      app.send(run(UInt64(number), of: cleaning))
      try phone.wait("run \(number) to be completed") { app.count("task-done") == number }
      return app.messages.last { $0.message.verb == "task-done" }?.message["success"]
    }
    expect(try result(of: 1), is: "yes")
    let journals = "\(phone.home)/journal"
    expect(rename(journals, journals + ".away"), is: 0)
    expect(try result(of: 2), is: "no")
    expect(rename(journals + ".away", journals), is: 0)
  }

  @Test(.shows("D-1.3"))
  func `A background task that iOS refuses is noted in the journal, and the app keeps running`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    app.send(ControlMessage("task-refused", ["identifier": sync, "message": "not permitted; declare it"]))
    app.send(ControlMessage("task", ["identifier": sync]))
    app.send(run(3))
    try phone.wait("the run to be completed") { app.count("task-done") == 1 }
    let journal = phone.journal(of: "mainappd")
    #expect(journal.contains("Failed to schedule background task: not permitted; declare it"))
    #expect(journal.contains("the phone's message task cannot be read"))
  }
}
