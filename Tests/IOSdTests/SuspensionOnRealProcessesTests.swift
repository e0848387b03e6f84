import Ground
import enum PhonePolicy.AfterContent

/// iosd stops, resumes and kills real processes.
@Suite("Suspension of real processes", .waits) struct SuspensionOnRealProcessesTests {
  private static let quick = ["--suspend-after", "50ms"]

  private func pid(_ phone: PhoneProcess) throws -> Int32 {
    try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
  }

  @Test func `An app in the background that nothing keeps awake is stopped, and continues when it is opened`()
    throws
  {
    let phone = try PhoneProcess(Self.quick)
    let pid = try pid(phone)
    try phone.ask("home")
    try Wait.until("the app is stopped") { PhoneProcess.state(ofProcess: pid) == "T" }
    expect(try phone.state("app"), is: "suspended")
    expect(try phone.ask("open")["app"], is: "foreground")
    try Wait.until("the app goes on") { PhoneProcess.state(ofProcess: pid) == "S" }
    try phone.ask("quit")
    expect(try phone.ended("app")["reason"] as? String, is: "killed: swiped away by the user")
  }

  @Test(.shows("K-20"))
  func `iosd finds a suspended app's lock in the kernel's list and kills the app: 0xdead10cc`() throws {
    let phone = try PhoneProcess(app: "app-keeps-lock", Self.quick)
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try #require(try phone.ended("app")["reason"] as? String)
    expect(reason, is: "killed: 0xdead10cc: suspended while it held a lock on locks/app.lock")
  }

  @Test(.shows("B-C.3"))
  func `In a debug build an app in the background that holds a lock is neither stopped nor killed`()
    throws
  {
    let phone = try PhoneProcess(app: "app-keeps-lock", Self.quick + ["--build", "debug"])
    let pid = try pid(phone)
    try phone.ask("home")
    try Wait.until("the app says so") { try phone.said("app") == "behind" }
    // Running or sleeping, only not stopped.
    #expect(PhoneProcess.state(ofProcess: pid) != "T")
    expect(try phone.state("app"), is: "background")
  }

  @Test(.shows("P-1.2")) func `iosd ends a suspended app's connection, and the peer sees its end`() throws {
    let phone = try PhoneProcess(app: "app-connects", Self.quick)
    let listener = try LoopbackListener()
    _ = try pid(phone)
    try phone.ask("ask-app", body: "\(listener.port)")
    let connection = try listener.accept()
    try phone.ask("home")
    #expect(connection.waitForEnd())
    expect(try phone.state("app"), is: "suspended")
  }

  @Test(.shows("K-18"))
  func
    `An expiration handler that ends its background task before the node stops gets the app killed: 0xdead10cc`()
    throws
  {
    let phone = try PhoneProcess(app: "app-seed-handler", Self.quick + ["--background-time", "100ms"])
    _ = try pid(phone)
    try phone.ask("home")
    let reason = try #require(try phone.ended("app")["reason"] as? String)
    expect(reason, is: "killed: 0xdead10cc: suspended while it held a lock on locks/app.lock")
  }

  @Test(.shows("P-1.2")) func `iosd ends a suspended extension's connection, and the peer sees its end`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-connects")
    let listener = try LoopbackListener()
    try phone.push("\(listener.port)")
    let connection = try listener.accept()
    #expect(connection.waitForEnd())
    expect(try phone.state("extension"), is: "suspended")
    #expect(try phone.rows("ps").first?["reason"] == nil, "the process has not ended")
  }

  @Test func `An app that is launched in the background gets no enter-background until it has been in front`()
    throws
  {
    let phone = try PhoneProcess(app: "app-done", Self.quick)
    try phone.ask("push", body: #"{"aps":{"content-available":1}}"#)
    try Wait.until("the app is suspended") { try phone.state("app") == "suspended" }
    #expect(!phone.journal().contains("enterBackground"))
    try phone.ask("open")
    try Wait.until("the app is in front") { try phone.said("app") == "in front" }
    try phone.ask("home")
    try Wait.until("the app is behind") { try phone.said("app") == "behind" }
    #expect(phone.journal().contains("enterBackground"))
  }

  /// The push and the end of the process reach a stopped iosd together, the push first.
  @Test(arguments: [AfterContent.suspend, .run])
  func `A push for an extension that was killed from outside while it rested is served by another process`(
    mode: AfterContent
  ) throws {
    let phone = try PhoneProcess(["--after-content", mode.rawValue])
    let iosd = phone.process.pid
    for round in 1...5 {
      if round == 1 { try phone.push("the original") }
      expect(try phone.notifications(round).last, is: "served 1")
      let rests = mode == .suspend ? "suspended" : "idle"
      try Wait.until("the extension rests") { try phone.state("extension") == rests }
      let pid = Int32(try #require(try phone.rows("ps").last?["pid"] as? Int))
      let client = try ControlClient(path: phone.socket, daemon: "iosd")
      _ = try client.request(ControlMessage("status"))
      kill(iosd, SIGSTOP)
      defer { kill(iosd, SIGCONT) }
      let alert = #"{"aps":{"alert":"the original","mutable-content":1}}"#
      try client.send(ControlMessage("push", body: Array(alert.utf8)))
      kill(pid, SIGKILL)
      try Wait.until("the extension is dead") { [nil, "Z"].contains(PhoneProcess.state(ofProcess: pid)) }
      kill(iosd, SIGCONT)
      _ = try client.receive(timeout: Wait.timeout)
    }
    expect(try phone.notifications(6), is: [String](repeating: "served 1", count: 6))
    let reasons = try phone.rows("ps").compactMap { $0["end_code"] as? String }
    expect(reasons, is: [String](repeating: "killed-from-outside", count: 5))
  }
}
