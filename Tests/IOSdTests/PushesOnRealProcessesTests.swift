@Suite(.waits) struct PushesOnRealProcessesTests {
  @Test(.shows("P-0.1")) func `With the app closed the extension serves the push`() throws {
    let phone = try PhoneProcess()
    try phone.push()
    expect(try phone.notifications(1), is: ["served 1"])
    try Wait.until("the extension to be suspended") { try phone.state("extension") == "suspended" }
    expect(try phone.rows("ps").count, is: 1)
  }

  @Test(.shows("P-0.1", "K-27", "K-45"))
  func `With the app in front a push goes to the app, or if so configured to extension and app`()
    throws
  {
    let phone = try PhoneProcess()
    try phone.ask("open")
    try phone.push()
    expect(try phone.state("extension"), is: "not running")
    let other = try PhoneProcess(["--foreground-pushes", "extension"])
    try other.ask("open")
    try other.push()
    expect(try other.notifications(1), is: ["served 1"])
    try Wait.until("the app has the push too") { try other.said("app") == "push of 69 bytes" }
  }

  @Test(.shows("K-26"))
  func `An extension that is warned of its time limit at the configured time can still deliver`()
    throws
  {
    let phone = try PhoneProcess(
      ext: "ext-expires", ["--extension-time", "20s", "--expiry-notice", "19900ms"])
    try phone.push("the original")
    try Wait.until("iosd names the push that the extension handles") {
      (try phone.status()["extension"] as? [String: Any])?["push"] as? Int == 1
    }
    expect(try phone.notifications(1), is: ["just in time"])
    #expect(try phone.rows("ps").first?["reason"] == nil)
  }

  @Test(.disabled(if: PhoneProcess.isSanitized, "its memory is the sanitizer's"))
  func `The recorded peak memory of an extension is its largest footprint, not its last`() throws {
    let phone = try PhoneProcess(ext: "ext-shrinks")
    try phone.push()
    expect(try phone.notifications(1).count, is: 1)
    try Wait.until("it is small again") {
      let service = try phone.status()["extension"] as? [String: Any]
      return try #require(service?["footprint_bytes"] as? Int) < 10 << 20
    }
    try phone.down()
    let rows = try String(contentsOfFile: "\(phone.home)/os/processes.jsonl", encoding: .utf8)
    let last = try #require(rows.split(separator: "\n").last { $0.contains("\"role\":\"extension\"") })
    let row = try #require(try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])
    #expect(try #require(row["peak_footprint_bytes"] as? Int) > 10 << 20)
  }

  @Test(arguments: [("ext-crash", "crashed by SIG"), ("ext-exit", "crashed with exit code 3")])
  func `A crash of the extension is recorded as a crash, and the original alert is shown`(
    _ ext: String, _ reason: String
  ) throws {
    let phone = try PhoneProcess(ext: ext)
    try phone.push("first")
    try phone.push("second")
    expect(try phone.notifications(2), is: ["first", "second"])
    let row = try phone.ended("extension")
    #expect((row["reason"] as? String)?.hasPrefix(reason) == true)
    expect(row["crashed"] as? Bool, is: true)
    expect(try phone.rows("ps").count, is: 2)
  }

  @Test
  func `iosd reads all unread messages of an extension that has died, and shows the content among them`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-chatty-then-exit")
    let iosd = phone.process.pid
    try phone.push("the original")
    let pid = try #require(try phone.rows("ps").first?["pid"] as? Int).magnitude
    // A busy phone finds the backlog and the death at once.
    kill(iosd, SIGSTOP)
    defer { kill(iosd, SIGCONT) }
    try Wait.until("the extension is dead") {
      [nil, "Z"].contains(PhoneProcess.state(ofProcess: Int32(pid)))
    }
    kill(iosd, SIGCONT)
    expect(try phone.notifications(1), is: ["last words"])
  }

  @Test func `If the extension sends garbage, the push's original alert is shown, and iosd keeps running`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-garbage", ["--extension-time", "300ms"])
    try phone.push("the original")
    expect(try phone.notifications(1), is: ["the original"])
    expect(try phone.state("app"), is: "not running")
  }

  @Test func `An alert with localisation keys is shown as these keys, with its arguments in place`() throws {
    let phone = try PhoneProcess()
    try phone.ask("push", body: #"{"aps":{"alert":{"loc-key":"%@ of %2$@ 100%%","loc-args":["a","b"]}}}"#)
    try phone.ask(
      "push",
      body:
        #"{"aps":{"alert":{"title-loc-key":"PAID","body":"x"}},"Simulator Target Bundle":"com.example.lightning"}"#
    )
    expect(try phone.notifications(2), is: ["a of b 100%", "x"])
    expect(try phone.rows("notifications").last?["title"] as? String, is: "PAID")
  }

  @Test
  func `A push with only a badge or sound sets or plays it, starts no process, and shows no notification`()
    throws
  {
    let phone = try PhoneProcess()
    try phone.ask("push", body: #"{"aps":{"badge":7,"mutable-content":1}}"#)
    try phone.ask("push", body: #"{"aps":{"sound":"default"}}"#)
    let rows = try phone.rows("pushes")
    expect(
      rows.map { $0["fate"] as? String },
      is: [
        "no notification: the badge is 7", "no notification: the sound default is played",
      ])
    expect(rows.map { $0["fate_code"] as? String }, is: ["applied", "applied"])
    expect(rows.map { $0["applied_badge"] as? Int }, is: [7, nil])
    expect(rows.map { $0["applied_sound"] as? String }, is: [nil, "default"])
    expect(rows.map { $0["badge_or_sound"] as? Bool }, is: [true, true])
    #expect(try phone.rows("ps").isEmpty)
    #expect(try phone.rows("notifications").isEmpty)
    expect(try phone.status()["badge"] as? Int, is: 7)
    phone.process.kill()
    try phone.restart()
    expect(try phone.status()["badge"] as? Int, is: 7, "the badge outlives the restart")
    try phone.push()
    expect(try phone.notifications(1), is: ["served 1"])
    expect(try phone.status()["badge"] as? Int, is: 8)
    try phone.ask("push", body: #"{"aps":{"badge":0}}"#)
    expect(try phone.status()["badge"] as? Int, is: 0)
  }
}
