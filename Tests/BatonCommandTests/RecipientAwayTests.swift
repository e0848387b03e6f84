import CoreShape
import DaemonRuntime
import Foundation
import PairSupport
import Testing

@testable import BatonCommand

/// Nobody comes for a payment: the sender is told so, and can try again.
@Suite("A recipient who stays away") struct RecipientAwayTests {
  private let scratch = Scratch()

  private func run(_ verb: String...) throws -> String {
    _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone")] + verb))
    return scratch.text("said")
  }

  private func wait(_ what: String, _ condition: () throws -> Bool) throws {
    let end = Clock.monotonicNow + .seconds(60)
    while try !condition() {
      let isTooLate = Clock.monotonicNow >= end
      try #require(!isTooLate, "waited in vain for \(what)")
    }
  }

  private func waitForApp(_ condition: (String) -> Bool) throws {
    try wait("the app") { condition(try run("status")) }
  }

  @Test(
    "B-0.6 An app that is not opened in time costs the attempt: 0x1007; opened, the next attempt is settled")
  func again() throws {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up")
    // Without leave to notify no extension is started, so only the app could receive.
    _ = try run("device", "notifications", "off")
    _ = try run("app", "open")
    try waitForApp { $0.contains(": connected\n") }
    let invoice = try run("invoice", "5000").trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try run("app", "quit")
    let phone = Phone(home: scratch("phone"))
    try wait("the wallet to be away") {
      try phone.askForJSON(.lspd, ControlMessage("status"))["wallet_connected"]?.flag == false
    }
    #expect(
      try run("pay", invoice, "--hold-seconds", "1")
        == "failed with code 0x1007: the wallet did not come in time; try again later\n")
    _ = try run("app", "open")
    try waitForApp { $0.contains(": connected\n") }
    #expect(try run("pay", invoice).hasPrefix("settled: 5,000 sat"))
  }
}
