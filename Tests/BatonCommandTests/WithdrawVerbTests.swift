import Ground
import DaemonRuntime
import Foundation
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("baton withdraw", .waits) struct WithdrawVerbTests {
  private let phone = CommandPhone()

  @Test
  func `Only an app in front withdraws; transaction, fee and time are printed`() throws {
    _ = try phone.run("up")
    #expect(
      try phone.run("withdraw", "4000", TestPhone.ownAddress)
        == "baton: this needs the app in the foreground; open it first\n")
    try phone.openAndConnect()
    let lines = try phone.run("withdraw", "4000sat", "bitcoin:\(TestPhone.ownAddress)").split(separator: "\n")
    #expect(
      lines.first?.contains(
        try Regex("^begun: 4,000 sat and a fee of [0-9]+ sat leave the channel with transaction [0-9a-f]{8}$")
      )
        == true, "\(lines)")
    #expect(
      lines.last?.contains(
        try Regex("^done: 4,000 sat on chain in .*, fee [0-9]+ sat, transaction [0-9a-f]{64}$")) == true,
      "\(lines)")
    let other = JSONValue(
      parsing: Array(try phone.run("withdraw", "500", TestPhone.ownAddress, "--json").utf8))
    #expect(other?["state"]?.text == "done" && other?["amount_msat"]?.uint == 500_000)
    #expect(other?["txid"]?.text?.count == 64)
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    #expect(status?["splice"] == nil || status?["splice"]?.text == nil)
    let lspd = try phone.phone.askForJSON(.lspd, ControlMessage("status"))
    #expect(lspd["funding"]?.text == other?["txid"]?.text.map { "\($0):0" })
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound"), "\(verdict)")
  }

  @Test
  func `P-1.4 A splice keeps the app awake in the background, shown by status, until it is done`() throws {
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
      text.contains(
        try Regex("\\nwithdrawing +4,000 sat on chain by transaction [0-9a-f]{8}: signing\\n")))
    let status = JSONValue(parsing: Array(try phone.run("status", "--json").utf8))
    #expect(status?["splice_state"]?.text == "signing")
    #expect(phone.scratch.end(withdrawal) == .exited(code: 0))
    #expect(phone.scratch.text("withdrawal").contains("\ndone: 4,000 sat on chain in "))
    try phone.waitUntilAway()
    // A debug build, which a sanitized phone runs, is never stopped.
    if !CommandPhone.isSanitized {
      try Wait.until("the app to be suspended") { try phone.run("status").contains("suspended") }
    }
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound"), "\(verdict)")
  }

  @Test
  func `baton withdraw prints that the app is gone, and the withdrawal's end once the app is back`() throws {
    _ = try phone.run("up", "--splice-delay", "3s")
    try phone.openAndConnect()
    let withdrawal = try phone.begin("withdraw", "4000", TestPhone.ownAddress, into: "withdrawal")
    try Wait.until("the splice to be begun") { phone.scratch.text("withdrawal").hasPrefix("begun") }
    _ = try phone.run("app", "quit")
    let gone =
      "\nthe app does not run; open it, or press ^C: the splice stays pending, and continues when the wallet reconnects\n"
    try Wait.until("withdraw to print that the app is gone") {
      phone.scratch.text("withdrawal").contains(gone)
    }
    try phone.openAndConnect()
    #expect(phone.scratch.end(withdrawal) == .exited(code: 0))
    #expect(phone.scratch.text("withdrawal").contains("\(gone)done: 4,000 sat on chain in "))
  }

  @Test
  func `An invalid address, a fraction of a satoshi and a peer without splices are refused in one sentence`()
    throws
  {
    _ = try phone.run("up", "--no-splices")
    #expect(
      try phone.run("withdraw", "4000", "here")
        == "baton: this is not a bitcoin address; copy the whole address again, and nothing else\n")
    #expect(
      try phone.run("withdraw", "1500msat", TestPhone.ownAddress)
        == "baton: AMOUNT must be a whole number of sat on chain, not `1500msat`\n")
    try phone.openAndConnect()
    #expect(
      try phone.run("withdraw", "4000", TestPhone.ownAddress)
        == "baton: the peer does not support splicing, which a withdrawal needs\n")
  }
}
