import DaemonRuntime
import Glibc
import Testing
import WaitingTests

@testable import Baton

/// What the verbs say of a phone with the default wallet, up and down.
@Suite("Answers of a phone", .waits) struct ShortAnswerTests {
  @Test func `Each verb answers for the default wallet, for a stopped app and for a phone that is down`()
    throws
  {
    let phone = CommandPhone()
    #expect(try !phone.run("up").contains("limits of the extension"))
    #expect(try phone.run("ps", "--all").contains("limits of the extension"))
    try phone.openAndConnect()
    for verb in ["screen", "retry", "copy"] {
      #expect(try phone.run("app", verb).contains("`baton up --wallet bitkit` has one"), "\(verb)")
    }

    _ = try phone.run("app", "home")
    let file = phone.scratch("push.apns")
    phone.scratch.write("push.apns", #"{"aps":{"alert":"x","interruption-level":"foo"}}"#)
    #expect(try phone.run("push", file).hasPrefix("the phone ignores `interruption-level`"))
    #expect(
      try phone.run("notifications", "dismiss", "1")
        == "notification 1 is removed from Notification Center\n")

    _ = try phone.run("app", "open")
    let app = try #require(try phone.phone.facts().app.pid)
    kill(app, SIGSTOP)
    #expect(try phone.run("down").hasPrefix("process \(app) of the wallet is stopped; iosd waits 5 s"))
    let down = try phone.run("status")
    #expect(down.contains(/app +not running/) && down.contains(/extension +not running/), "\(down)")
  }
}
