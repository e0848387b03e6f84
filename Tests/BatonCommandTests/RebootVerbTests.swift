import CoreShape
import DaemonRuntime
import Foundation
import PairSupport
import Testing

@testable import BatonCommand

@Suite("baton device reboot") struct RebootVerbTests {
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

  @Test(
    "A reboot while the wallet holds the node: the next process sees another boot, claims, and is paid",
    arguments: [[], ["--lose-beats"]])
  func whileItHoldsTheNode(_ options: [String]) throws {
    defer {
      _ = try? run("down")
      Journals.replay(of: scratch("phone"))
    }
    _ = try run("up")
    _ = try run("app", "open")
    try wait("the app to be connected") { try run("status").contains(": connected\n") }
    let invoice = try run("invoice", "5000").trimmingCharacters(in: .whitespacesAndNewlines)
    _ = scratch.end(try scratch.start("baton", ["--home", scratch("phone"), "device", "reboot"] + options))
    #expect(
      scratch.text("said")
        == "the phone has rebooted; it is locked, and not yet unlocked since it was started\n")
    #expect(try run("device").contains("locked, and not yet unlocked since it was started"))
    #expect(try run("ps", "--all").contains("killed: reboot"))
    let atRest = try run("inspect")
    #expect(atRest.contains("is gone without a release"))
    #expect(atRest.contains("app        no beat") == !options.isEmpty)
    _ = try run("device", "unlock")
    #expect(try run("pay", invoice).hasPrefix("settled: 5,000 sat"))
    #expect(try run("inspect").contains("claimed because  the holder is gone"))
    _ = try run("down")
    let judgement = try run("judge")
    #expect(judgement.contains("1 push, 1 notification"))
    #expect(!judgement.contains("no wallet seed"))
    #expect(judgement.contains("Verdict: sound."))
  }
}
