@Suite("Pushes of an iosd that was killed", .waits) struct LostPushTests {
  private let silent = #"{"aps":{"content-available":1},"reason":"SomethingElse"}"#

  private func fates(_ phone: PhoneProcess) throws -> [String?] {
    try phone.rows("pushes").map { $0["fate"] as? String }
  }

  private func kill(_ phone: PhoneProcess) throws { phone.process.kill() }

  @Test
  func
    `A kill of iosd loses pushes that wait or are being served; a push that the app has is abandoned, shown alerts stay`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-hang", ["--silent-budget", "1"])
    try phone.ask("push", body: #"{"aps":{"alert":"as it is"}}"#)
    _ = try phone.notifications(1)
    try phone.push("being served by the extension")
    try phone.push("waits for it")
    try phone.ask("push", body: silent)
    try phone.ask("push", body: silent)
    expect(
      try fates(phone),
      is: [
        nil, nil, nil, "delivered", "deferred: the budget of silent pushes (1 an hour) is used up",
      ])
    try kill(phone)
    try phone.restart()
    let lost = "lost: gone with an earlier iosd"
    let ends = [nil, lost, lost, "abandoned: the app ended before it completed the push", lost]
    expect(try fates(phone), is: ends)
    expect(try phone.rows("notifications").count, is: 1)
    // Written once, not at each start.
    let path = "\(phone.home)/os/pushes.jsonl"
    let size = try String(contentsOfFile: path, encoding: .utf8).count
    try kill(phone)
    try phone.restart()
    expect(try String(contentsOfFile: path, encoding: .utf8).count, is: size)
    expect(try fates(phone), is: ends)
  }
}
