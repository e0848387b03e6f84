@Suite("Pushes that are kept or not shown, over iosd", .waits) struct StoredPushTests {
  private func column(_ phone: PhoneProcess, _ name: String) throws -> [String?] {
    try phone.rows("pushes").map { $0[name] as? String }
  }

  private func kill(_ phone: PhoneProcess) throws { phone.process.kill() }

  @Test func `Without a network the newest push is kept, and shown late when the network is back`() throws {
    let phone = try PhoneProcess()
    try phone.ask("device", ["network": "no"])
    for _ in 0..<3 { try phone.push() }
    expect(try column(phone, "fate_code"), is: ["replaced", "replaced", "held"])
    expect(try column(phone, "fate").last, is: "deferred: the phone is off the network")
    #expect(try phone.rows("ps").isEmpty)
    try phone.ask("device", ["network": "yes"])
    expect(try phone.notifications(1), is: ["served 1"])
    let row = try #require(try phone.rows("pushes").last)
    let late = try #require(row["late_ms"] as? Int)
    #expect(late >= 0 && row["fate_code"] as? String == "late")
    #expect((row["fate"] as? String)?.hasSuffix(" late: the phone was off the network") == true)
    expect(try phone.rows("notifications").count, is: 1)
  }

  @Test func `A kept push is lost with a killed iosd, and dropped by one that ends`() throws {
    for (isKilled, code) in [(true, "lost"), (false, "dropped")] {
      let phone = try PhoneProcess()
      try phone.ask("device", ["network": "no"])
      try phone.push()
      if isKilled {
        try kill(phone)
      } else {
        try phone.down()
      }
      try phone.restart()
      expect(try column(phone, "fate_code"), is: [code])
      #expect(try phone.rows("notifications").isEmpty)
    }
  }

  @Test func `With the entitlement for filtering empty content shows nothing, without it the original alert`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-empty")
    try phone.push("the original")
    expect(try phone.notifications(1), is: ["the original"])
    expect(
      try column(phone, "fate"),
      is: [
        "shown with its original alert: content without a text needs the entitlement com.apple.developer.usernotifications.filtering, which the extension does not have"
      ])
    try phone.down()
    let path = "\(phone.directory)/entitlements.json"
    let entitled = #"{"extension":{"com.apple.developer.usernotifications.filtering":true}}"#
    try entitled.write(toFile: path, atomically: true, encoding: .utf8)
    try phone.restart(["--entitlements-file", path])
    try phone.push("the original")
    try Wait.until("the push is filtered") { try column(phone, "fate_code").last == "filtered" }
    expect(try phone.rows("notifications").count, is: 1)
  }

  /// The rows are in the file before iosd sends SIGSTOP: so a push comes before the extension has stopped, or before
  /// iosd has looked for its locks.
  @Test
  func `Of 200 pushes sent while the extension is being suspended each is shown once, and none kills it`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-locks")
    let client = try ControlClient(path: phone.socket, daemon: "iosd")
    let path = "\(phone.home)/os/notifications.jsonl"
    for number in 1...200 {
      let alert = #"{"aps":{"alert":"\#(number)","mutable-content":1}}"#
      _ = try client.request(ControlMessage("push", body: Array(alert.utf8)), timeout: Wait.timeout)
      try Wait.until("push \(number) is shown", pause: { _ in poll(nil, 0, 0) }) {
        FileManager.default.contents(atPath: path)?.count { $0 == 10 } == number
      }
      // At once, or up to three milliseconds later.
      poll(nil, 0, Int32(number % 4))
    }
    expect(try phone.notifications(200), is: (1...200).map { "served \($0)" })
    let processes = try phone.rows("ps")
    #expect(processes.count == 1 && processes.first?["reason"] == nil)
    let text = phone.journal()
    expect(text.ranges(of: #"{"suspend":{"_0":"extension"}}"#).count, is: 200)
    expect(text.ranges(of: #"{"resume":{"_0":"extension"}}"#).count, is: 199)
  }
}
