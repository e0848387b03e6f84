@testable import Baton

@Suite("baton withdraw", .waits) struct WithdrawVerbTests {
  private let phone = CommandPhone()

  @Test(.shows("P-1.4"))
  func `A splice keeps the app awake in the background, shown by status, until it is done`() throws {
    _ = try phone.run("up", "--splice-delay", CommandPhone.delay(seconds: 4))
    try phone.openAndConnect()
    let withdrawal = try phone.begin("withdraw", "4000", TestPhone.ownAddress, into: "withdrawal")
    try Wait.until("the splice to be begun") { phone.scratch.text("withdrawal").hasPrefix("begun") }
    _ = try phone.run("app", "home")
    var text = ""
    try Wait.until("the app to be at work in the background") {
      text = try phone.run("status")
      return text.contains("at work on: splice ")
    }
    #expect(
      text.contains(try Regex("\\nwithdrawing +4,000 sat on chain by transaction [0-9a-f]{8}: signing\\n")))
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    expect(status?["splice_state"]?.text, is: "signing")
    expect(withdrawal.end(), is: .exited(code: 0))
    #expect(phone.scratch.text("withdrawal").contains("\ndone: 4,000 sat on chain in "))
    try phone.waitUntilAway()
    // A debug build, which a sanitized phone runs, is never stopped.
    if !CommandPhone.isSanitized {
      try Wait.until("the app to be suspended") { try phone.run("status").contains("suspended") }
    }
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound"), "\(verdict)")
  }
}
