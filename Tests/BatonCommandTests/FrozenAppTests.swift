import DaemonRuntime
import Foundation
import Glibc
import Ground
import PairSupport
import PhonePolicy
import Testing
import WaitingTests

@testable import Baton

@Suite("A frozen app", .waits) struct FrozenAppTests {
  private let phone = CommandPhone()

  private func line(_ verb: String...) throws -> String {
    try phone.run(verb).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test
  func
    `Each request to a frozen app ends with 7 and says first that its outcome is open, as it is after the thaw`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let incoming = try phone.invoice()
    let outgoing = try line("invoice", "5", "--external")
    let app = try #require(try phone.phone.facts().app.pid)
    #expect(try line("freeze", "app") == "the app (process \(app)) is frozen; `baton thaw app` continues it")
    defer { kill(app, SIGCONT) }
    let unknown =
      "baton: the outcome is unknown: the app (process \(app)) is stopped (SIGSTOP or a debugger) and did not answer in time, and may begin the request once `baton thaw app` continues it; look at `baton payments` before you try again\n"
    let commands: [(String, [String], String)] = [
      ("send", ["send", outgoing], unknown),
      ("withdraw", ["withdraw", "4000", TestPhone.ownAddress], unknown),
      ("invoice", ["invoice", "7"], unknown),
      ("load", ["pay", "--count", "2", "--amount", "3", "--timeout", "1s"], unknown),
      (
        "pay", ["pay", incoming, "--timeout", "1s"],
        "offered: the HTLC is in the wallet's channel\npending: no outcome in "
      ),
    ]
    let children = try commands.map { try phone.begin($0.1, into: $0.0) }
    try Wait.until("the payment to be offered for a second") {
      try phone.phone.peerFacts().offeredForMs ?? 0 >= 1000
    }
    let status = try phone.run("status")
    #expect(
      status.contains("foreground (process \(app)), frozen: `baton thaw app` continues it"), "\(status)")
    let offer = try Regex("0 held for the wallet, 1 offered to it for [0-9.]+ s\n")
    #expect(status.contains(offer), "\(status)")
    #expect(try phone.run("status", "--json").contains(#""frozen":["app"]"#))
    for ((name, _, first), child) in zip(commands, children) {
      #expect(phone.scratch.end(child) == .exited(code: ExitCode.tooSlow.rawValue), "\(name)")
      #expect(phone.scratch.text(name).hasPrefix(first), "\(name): \(phone.scratch.text(name))")
    }
    #expect(try line("thaw", "app") == "the app (process \(app)) goes on")
    var payments: [JSONValue] = []
    try Wait.until("what was pending to end") {
      payments = JSONValue(parsing: Array(try phone.run("payments", "--json").utf8))?.elements ?? []
      return Set(payments.compactMap { $0["state"]?.text }) == ["received", "paid", "done"]
    }
    #expect(payments.count == 3)
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }
}
