import Ground
import DaemonRuntime
import Foundation
import Glibc
import PairSupport
import Testing
import WaitingTests

@testable import Baton

@Suite("Beside wallet processes of baton pair", .waits) struct HandRunTests {
  private let phone = CommandPhone()

  @Test
  func `Beside an app started by baton pair, baton up is refused, and status and ps give the same advice`()
    throws
  {
    let pair = try phone.scratch.start("baton", ["pair", phone.phone.home], into: "pair")
    defer {
      pair.send(SIGTERM)
      _ = phone.scratch.end(pair)
    }
    let presence = "\(phone.phone.container)/presence/app.sock"
    try Wait.until("the app of the pair") { DaemonProbe.pid(listeningOn: presence) != nil }
    let app = try #require(DaemonProbe.pid(listeningOn: presence))
    let sentence =
      "iosd does not run, and the app was started by hand (process \(app)); end it before `baton up`"
    #expect(try phone.run("up") == "baton: \(sentence)\n")
    #expect(DaemonProbe.pid(listeningOn: phone.phone.iosdSocket) == nil)
    #expect(try phone.run("status").contains(sentence))
    let list = try phone.run("ps")
    #expect(list.contains(try Regex("\nmainappd +\(app) +running .* started by hand\n")), "\(list)")
    #expect(list.hasSuffix("\n\(sentence)\n"), "\(list)")
    #expect(!list.contains("start with `baton up`"))
    let row = "\"by_hand\":[{\"process\":\"mainappd\",\"pid\":\(app)}]"
    #expect(try phone.run("ps", "--json").contains(row))
    #expect(try phone.run("status", "--json").contains(row))
    pair.send(SIGTERM)
    _ = phone.scratch.end(pair)
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("down")
    let verdict = try phone.run("judge")
    #expect(verdict.contains("Verdict: sound"), "\(verdict)")
  }
}

@Suite("baton pair on a phone of baton up", .waits) struct PairOnPhoneTests {
  private let phone = CommandPhone()

  @Test func `baton pair refuses a phone whose seed is in the keychain, and starts nothing`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    _ = try phone.run("down")
    let pair = try phone.scratch.start("baton", ["pair", phone.phone.home])
    #expect(phone.scratch.end(pair) == .exited(code: 73))
    #expect(phone.scratch.text("said").contains("is a phone of `baton up`, whose keychain has the seed"))
    #expect(DaemonProbe.pid(listeningOn: phone.phone.lspdSocket) == nil)
  }
}

@Suite("baton up on a running phone", .waits) struct UpAgainTests {
  private let phone = CommandPhone()

  @Test(arguments: ["fencing", "legacy"])
  func `baton up says that options do not change a running daemon, even options with the default value`(
    peer: String
  ) throws {
    _ = try phone.run("up", "--peer", "legacy")
    let words = "\noptions do not change a running daemon; use `baton down` first\n"
    #expect(try phone.run("up", "--peer", peer).hasSuffix(words))
    // A sanitized phone is always given an option.
    if !CommandPhone.isSanitized { #expect(try !phone.run("up").contains("options do not change")) }
  }
}
