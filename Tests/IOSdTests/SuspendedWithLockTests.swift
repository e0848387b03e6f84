/// What counts as a lock when the phone suspends a process, and what the phone does then.
@Suite("Suspended with a lock", .waits) struct SuspendedWithLockTests {
  private static let reads =
    "killed: 0xdead10cc: suspended while it held a lock on other.sqlite (an open read transaction)"

  private func suspended(app: String, _ options: String...) throws -> PhoneProcess {
    let phone = try PhoneProcess(app: app, ["--suspend-after", "50ms"] + options)
    try phone.ask("open")
    try phone.ask("home")
    return phone
  }

  @Test(arguments: ["app-selects-unfinished", "app-selects-unfinished-rollback"])
  func `A SELECT that is not finished is a lock: the app is killed when it is suspended`(app: String) throws {
    let phone = try suspended(app: app)
    expect(try phone.ended("app")["reason"] as? String, is: Self.reads)
  }

  @Test(arguments: ["app-selects", "app-selects-rollback"])
  func `An open database whose statements are finished is no lock`(app: String) throws {
    let phone = try suspended(app: app)
    try Wait.until("the app is suspended") { try phone.state("app") == "suspended" }
    expect(try phone.ask("open")["app"], is: "foreground")
    #expect(!phone.journal().contains("holds a lock"))
  }

  @Test(arguments: ["ext-selects-unfinished", "ext-selects-unfinished-rollback"])
  func
    `An extension that delivers its content with a SELECT not finished is killed, and the next push is served`(
      ext: String
    ) throws
  {
    let phone = try PhoneProcess(ext: ext)
    try phone.push()
    expect(try phone.ended("extension")["reason"] as? String, is: Self.reads)
    try phone.push()
    expect(try phone.notifications(2), is: ["served", "served"])
  }

  @Test(.shows("K-20"), arguments: ["ext-keeps-lock", "ext-activity-keeps-lock"])
  func `An extension suspended with a flock in the container is killed: 0xdead10cc`(ext: String) throws {
    let phone = try PhoneProcess(ext: ext)
    try phone.push()
    expect(
      try phone.ended("extension")["reason"] as? String,
      is: "killed: 0xdead10cc: suspended while it held a lock on locks/extension.lock")
    try phone.push()
    expect(try phone.notifications(2), is: ["served", "served"])
  }
}
