import Ground

@Suite(.waits) struct PhoneLifeTests {
  @Test func `The user opens the app, leaves it and swipes it away`() throws {
    let phone = try PhoneProcess()
    expect(try phone.ask("open")["app"], is: "foreground")
    try Wait.until("the app says so") { try phone.said("app") == "in front" }
    expect(try phone.ask("home")["app"], is: "background")
    expect(try phone.ask("open")["app"], is: "foreground")
    try phone.ask("quit")
    expect(try phone.ended("app")["reason"] as? String, is: "killed: swiped away by the user")
    expect(try phone.state("app"), is: "not running")
  }

  @Test func `A SIGKILL that iosd did not send is recorded as a kill from outside`() throws {
    let phone = try PhoneProcess()
    let pid = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    kill(pid, SIGKILL)
    expect(try phone.ended("app")["reason"] as? String, is: "killed from outside by SIGKILL")
    try Wait.until("nothing is left of it") { PhoneProcess.state(ofProcess: pid) == nil }
  }

  @Test
  func `Opening an app that has died starts a new process, even if iosd has not yet learned of the death`()
    throws
  {
    let phone = try PhoneProcess()
    let pid = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    let iosd = phone.process.pid
    let user = try ControlClient(path: phone.socket, daemon: "iosd")
    _ = try user.request(ControlMessage("status"), timeout: Wait.timeout)
    // The user's request is in the socket before the app dies: iosd reads it first when it continues.
    kill(iosd, SIGSTOP)
    defer { kill(iosd, SIGCONT) }
    try Wait.until("iosd is stopped") { ProcessTable.isStopped(iosd) }
    try user.send(ControlMessage("open"))
    kill(pid, SIGKILL)
    try Wait.until("the app is dead") { PhoneProcess.state(ofProcess: pid) == "Z" }
    kill(iosd, SIGCONT)
    let answer = try user.receive(timeout: Wait.timeout)
    expect(answer["app"], is: "foreground")
    #expect(answer["pid"].flatMap { Int32($0) } != pid)
    let running = (try phone.status()["app"] as? [String: Any])?["pid"] as? Int
    expect(answer["pid"], is: running.map { "\($0)" })
  }

  @Test func `The reason that an app gives for its end is not attributed to the app's next process`() throws {
    let phone = try PhoneProcess(app: Self.app)
    try phone.ask("open")
    try Wait.until("the app is in front") { try phone.said("app") != nil }
    try phone.ask("home")
    try phone.ask("quit")
    expect(try phone.ended("app")["reason"] as? String, is: "ended when it was asked to: asked to terminate")
    let pid = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    kill(pid, SIGKILL)
    expect(try phone.ended("app")["reason"] as? String, is: "killed from outside by SIGKILL")
  }

  private static let app = "\(Started.directory)/mainappd"

  @Test
  func `A request to the app and the app's answer pass unchanged; a request above 16,384 bytes is refused`()
    throws
  {
    let phone = try PhoneProcess()
    expect(try phone.refusal("ask-app", body: "x")?.hasSuffix("open it first"), is: true)
    try phone.ask("open")
    let noise = "\n\n: \u{0}" + String(repeating: "x", count: 16_000)
    let answer = try phone.ask("ask-app", ["in-front": "yes"], body: noise)
    expect(answer, is: ControlMessage("answer", body: Array("answer to \(noise)".utf8)))
    let long = String(repeating: "x", count: 16_385)
    expect(
      try phone.refusal("ask-app", body: long),
      is: "the request has 16385 bytes and may have 16384; ask for less at once")
    try phone.ask("home")
    expect(
      try phone.refusal("ask-app", body: "x")?.hasPrefix("this needs the app in the foreground"), is: true)
    expect(try phone.ask("ask-app", ["in-front": "no"], body: "x").bodyText, is: "answer to x")
  }

  @Test func `If the app ends before it answers a request, the client gets an error`() throws {
    let phone = try PhoneProcess()
    try phone.ask("open")
    let client = try ControlClient(path: phone.socket, daemon: "iosd")
    try client.send(ControlMessage("ask-app", body: Array("ignore".utf8)))
    try phone.ask("quit")
    expect(
      try client.receive(timeout: Wait.timeout).errorSentence,
      is:
        "the outcome is unknown: the app ended before it answered, and may have begun the request; open it, and look at `baton list payments` before you try again"
    )
  }

  @Test func `A second iosd does not start on the same phone directory`() throws {
    let phone = try PhoneProcess()
    let second = try PhoneProcess.launch(["--home", phone.home, "--app", "/bin/true", "--ext", "/bin/true"])
    expect(second.waitForEnd(), is: ExitCode.cannotCreate.rawValue)
    expect(try phone.state("app"), is: "not running")
  }

  @Test func `If the app's program is missing, iosd does not start`() throws {
    let phone = try PhoneProcess()
    let other = try PhoneProcess.launch([
      "--home", "\(phone.directory)/other", "--app", "/nowhere/app", "--ext", "/bin/true",
    ])
    expect(other.waitForEnd(), is: ExitCode.badConfiguration.rawValue)
  }

  @Test(arguments: ["down", "SIGTERM"])
  func `A power-off by request or SIGTERM ends app and extension, and shows the alert of the unfinished push`(
    _ way: String
  ) throws {
    let phone = try PhoneProcess(ext: "ext-hang", ["--grace", "200ms"])
    let app = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    try phone.ask("home")
    try phone.push("the original")
    if way == "down" { try phone.ask("down") } else { kill(phone.process.pid, SIGTERM) }
    expect(phone.process.waitForEnd(), is: 0)
    #expect(PhoneProcess.state(ofProcess: app) == nil)
    #expect(access(phone.socket, F_OK) != 0)
    try phone.restart()
    expect(try phone.notifications(1), is: ["the original"])
    #expect(try phone.rows("ps").allSatisfy { $0["reason"] != nil })
  }

  @Test func `The app's process does not survive a killed iosd`() throws {
    let phone = try PhoneProcess(app: "app-stubborn")
    let app = try #require(try phone.ask("open").integerIfPresent("pid", in: 1...Int32.max))
    phone.process.kill()
    try Wait.until("the app is gone") { [nil, "Z"].contains(PhoneProcess.state(ofProcess: app)) }
    try phone.restart()
    expect(try phone.ended("app")["reason"] as? String, is: "gone with an earlier iosd")
  }

  @Test func `Notifications, ids and the stepped wall clock outlive a restart of iosd`() throws {
    let phone = try PhoneProcess()
    try phone.push()
    _ = try phone.notifications(1)
    let hour: Int64 = 3600
    let stepped = try phone.ask("clock", ["step-seconds": "\(hour)"])
    let boot = FileManager.default.contents(atPath: "\(phone.home)/os/clock")
    try phone.down()
    try phone.restart()
    #expect(FileManager.default.contents(atPath: "\(phone.home)/os/clock") != boot)
    let wall = try #require(try phone.status()["wall_ns"] as? Int64)
    #expect(wall >= (try stepped.integer("wall-ns", in: 0...Int64.max)))
    expect(try phone.push(), is: "2")
    expect(try phone.notifications(2), is: ["served 1", "served 1"])
  }

  @Test func `The wall clock can be stepped by at most ten years at once, and by a hundred years in all`()
    throws
  {
    let phone = try PhoneProcess()
    for bad in ["", "x", "9223372036854775807", "-315360001"] {
      expect(try phone.refusal("clock", ["step-seconds": bad])?.contains("whole number"), is: true)
    }
    for _ in 0..<10 { try phone.ask("clock", ["step-seconds": "315360000"]) }
    expect(
      try phone.refusal("clock", ["step-seconds": "315360000"])?.contains("more than a hundred years off"),
      is: true)
  }

  @Test func `iosd lists the newest 256 notifications, its file has all`() throws {
    let phone = try PhoneProcess()
    for _ in 0..<300 { try phone.ask("push", body: #"{"aps":{"alert":"as it is"}}"#) }
    expect(try phone.status()["notifications"] as? Int, is: 300)
    let ids = try phone.rows("notifications").compactMap { $0["id"] as? Int }
    expect(ids, is: Array(45...300))
    let file = try #require(FileManager.default.contents(atPath: "\(phone.home)/os/notifications.jsonl"))
    expect(file.split(separator: UInt8(ascii: "\n")).count, is: 300)
  }
}
