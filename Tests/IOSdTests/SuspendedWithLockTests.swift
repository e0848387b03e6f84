import Baton
import DaemonRuntime
import Foundation
import Testing
import WaitingTests

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
    #expect(try phone.ended("app")["reason"] as? String == Self.reads)
  }

  @Test(arguments: ["app-selects", "app-selects-rollback"])
  func `An open database whose statements are finished is no lock`(app: String) throws {
    let phone = try suspended(app: app)
    try Wait.until("the app is suspended") { try phone.state("app") == "suspended" }
    #expect(try phone.ask("open")["app"] == "foreground")
    #expect(try !phone.journal().contains("holds a lock"))
  }

  @Test(arguments: ["ext-selects-unfinished", "ext-selects-unfinished-rollback"])
  func
    `An extension that delivers its content with a SELECT not finished is killed, and the next push is served`(
      ext: String
    ) throws
  {
    let phone = try PhoneProcess(ext: ext)
    try phone.push()
    #expect(try phone.ended("extension")["reason"] as? String == Self.reads)
    try phone.push()
    #expect(try phone.notifications(2) == ["served", "served"])
  }

  @Test func `With spare a process that is suspended with a lock stays suspended, and resumes`() throws {
    let phone = try suspended(app: "app-keeps-lock", "--suspended-with-lock", "spare")
    try Wait.until("the phone has looked at its locks") {
      try phone.journal().contains("foundHoldingLock")
    }
    #expect(try phone.state("app") == "suspended")
    #expect(try phone.ask("open")["app"] == "foreground")
  }

  @Test
  func `An extension that does not say hello in its time to start is killed, and its alert shown as sent`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-starts-slowly", ["--extension-start-time", "200ms"])
    try phone.push("the original")
    #expect(try phone.notifications(1) == ["the original"])
    let row = try phone.ended("extension")
    #expect(row["reason"] as? String == "killed: used up its time in starting up: 0.200 s")
    #expect(row["end_code"] as? String == "start-limit")
  }

  @Test func `An activity keeps the extension from being suspended until it expires; a 65th expires at once`()
    throws
  {
    let phone = try PhoneProcess(ext: "ext-activity", ["--activity-time", "3s"])
    try phone.push()
    #expect(try phone.notifications(1) == ["served"])
    try Wait.until("the extension is suspended") { try phone.state("extension") == "suspended" }
    let told = try phone.journal().matches(of: /"activityExpired":\{"id":(\d+)\}/).compactMap {
      Int($0.output.1)
    }
    #expect(told.first == 65)
    #expect(told.sorted() == Array(1...65))
  }

  @Test(arguments: ["ext-keeps-lock", "ext-activity-keeps-lock"])
  func `K-20 An extension suspended with a flock in the container is killed: 0xdead10cc`(ext: String) throws {
    let phone = try PhoneProcess(ext: ext)
    try phone.push()
    #expect(
      try phone.ended("extension")["reason"] as? String
        == "killed: 0xdead10cc: suspended while it held a lock on locks/extension.lock")
    try phone.push()
    #expect(try phone.notifications(2) == ["served", "served"])
  }
}
