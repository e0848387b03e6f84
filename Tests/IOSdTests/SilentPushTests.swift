@Suite("Silent pushes on real processes", .waits) struct SilentPushTests {
  private let silent = #"{"aps":{"content-available":1},"reason":"SomethingElse"}"#

  private func fate(_ phone: PhoneProcess, _ id: Int = 1) throws -> String? {
    try phone.rows("pushes").first { $0["id"] as? Int == id }?["fate"] as? String
  }

  private func waitFor(_ fate: String, _ phone: PhoneProcess, _ id: Int = 1) throws {
    try Wait.until("push \(id) is \(fate)") { try self.fate(phone, id) == fate }
  }

  @Test(.shows("B-1.5.1a", "B-1.5.1b"))
  func `The wallet's app is launched for a silent push of unknown type and completes it with no data`()
    throws
  {
    let phone = try PhoneProcess(app: "\(Started.directory)/mainappd")
    expect(try phone.ask("push", body: silent)["fate"], is: "delivered")
    try waitFor("completed with no-data", phone)
    expect(try phone.state("app"), is: "background")
    let reason = try phone.rows("ps").first?["launch_reason"] as? String
    expect(reason, is: "launched in the background for silent push 1")
  }

  @Test(.shows("B-1.5.1f"))
  func
    `If the peer is unreachable the app completes a silent push as failed in time, and journals the error`()
    throws
  {
    // secp256k1's generator as node id, at a port where no process listens.
    let unreachable = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798@127.0.0.1:9"
    let phone = try PhoneProcess(
      app: "\(Started.directory)/mainappd", ["--peer", unreachable, "--silent-time", "4s"])
    try phone.ask("push", body: #"{"aps":{"content-available":1},"reason":"IncomingPayment"}"#)
    try waitFor("completed with failed", phone)
    #expect(phone.journal(of: "mainappd").contains("Background HTLC processing failed: "))
  }

  @Test(.shows("B-1.5.0d")) func `With every silent push lost each alert is still shown`() throws {
    let phone = try PhoneProcess(["--silent-drop", "100"])
    for number in 1...5 {
      expect(try phone.ask("push", body: silent)["fate"]?.hasPrefix("dropped: "), is: true)
      try phone.push("payment \(number)")
    }
    expect(try phone.notifications(5).count, is: 5)
    expect(try phone.state("app"), is: "not running")
  }

  @Test(.shows("B-1.5.1g"))
  func `A silent push counts as completed once, however often the app reports its completion`()
    throws
  {
    let phone = try PhoneProcess(app: "app-done")
    try phone.ask("push", body: silent)
    try waitFor("completed with new-data", phone)
    try phone.ask("push", body: silent)
    try waitFor("completed with new-data", phone, 2)
    let rows = try String(contentsOfFile: "\(phone.home)/os/pushes.jsonl", encoding: .utf8)
    expect(rows.components(separatedBy: "completed with").count - 1, is: 2)
    #expect(rows.contains("\"fate\":\"delivered\""))
  }

  @Test func `Only the app completes silent pushes; a completion by the extension is ignored`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-says-done", ["--silent-time", "10m"])
    expect(try phone.ask("push", body: silent)["fate"], is: "delivered")
    try phone.push("payment")
    // The extension's completion of the app's push comes before its own content.
    expect(try phone.notifications(1), is: ["served"])
    expect(try fate(phone), is: "delivered")
  }

  @Test
  func
    `A push with alert and content-available is shown, and also wakes the app under the silent-push rules`()
    throws
  {
    let both = #"{"aps":{"alert":{"title":"Push","body":"both"},"mutable-content":1,"content-available":1}}"#
    let phone = try PhoneProcess(app: "app-done", ["--silent-budget", "1"])
    let answer = try phone.ask("push", body: both)
    #expect(answer["id"] == "1" && answer["waking"] == "2" && answer["waking-fate"] == "delivered")
    expect(try phone.notifications(1), is: ["served 1"])
    try waitFor("completed with new-data", phone, 2)
    let rows = try phone.rows("pushes")
    expect(rows.map { $0["visible"] as? Bool }, is: [true, false])
    expect(rows.last?["of"] as? Int, is: 1)
    let second = try phone.ask("push", body: both)
    expect(second["waking-fate"], is: "deferred: the budget of silent pushes (1 an hour) is used up")
    expect(try phone.notifications(2).count, is: 2)
    #expect(try phone.ask("push", body: #"{"aps":{"alert":"alone","content-available":0}}"#)["waking"] == nil)
  }
}
