import PhonePolicy

@testable import IOSd

@Suite("--tor", .waits) struct TorOptionTests {
  @Test func `With --tor, and only then, iosd starts an app whose node has the timeouts for Tor`() throws {
    for options in [["--tor"], []] {
      let phone = try PhoneProcess(app: "\(Started.directory)/mainappd", options)
      try phone.ask("open")
      var text = ""
      try Wait.until("the node's core to be written down") {
        text = phone.journal(of: "mainappd")
        return text.contains("\"core\":\"node\"")
      }
      expect(text.contains("\"overTor\":true"), is: !options.isEmpty)
    }
  }
}

@Suite("iosd's options") struct PhoneOptionTests {
  private func configuration(_ arguments: String...) throws -> PhoneConfiguration {
    guard case .run(let parsed) = try phoneCommandLine.parse(arguments) else {
      throw SystemError("parse", code: EINVAL)
    }
    return PhoneOptions(parsed).configuration
  }

  @Test func `Without options iosd has the times and limits of the phone's core`() throws {
    let (given, core) = (try configuration(), PhoneConfiguration())
    #expect(given.extensionTime == core.extensionTime && given.extensionIdleTime == core.extensionIdleTime)
    #expect(given.callbackTime == core.callbackTime && given.suspendAfter == core.suspendAfter)
    #expect(given.backgroundTime == core.backgroundTime && given.taskExpiryGrace == core.taskExpiryGrace)
    var tasks = given.tasks
    tasks.permitted = core.tasks.permitted
    expect(tasks, is: core.tasks)
  }

  @Test(arguments: ["--sufficient-battery", "--task-deferral", "--silent-drop"])
  func `A percentage may be 100, and not 101`(option: String) throws {
    _ = try configuration(option, "100")
    #expect(throws: UsageError.self) { try configuration(option, "101") }
  }
}
