@Suite("--tor", .waits) struct TorOptionTests {
  @Test func `With --tor, and only then, iosd starts an app whose node has the timeouts for Tor`() throws {
    for options in [["--tor"], []] {
      let phone = try PhoneProcess(app: "\(PhoneProcess.products)/mainappd", options)
      try phone.ask("open")
      var text = ""
      try Wait.until("the node's core to be written down") {
        text = phone.journal(of: "mainappd")
        return text.contains("\"core\":\"node\"")
      }
      #expect(text.contains("\"overTor\":true") == !options.isEmpty)
    }
  }
}
