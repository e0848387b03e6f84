import Baton
import DaemonRuntime
import Foundation
import Testing
import WaitingTests

@Suite("baton restore", .waits) struct RestoreVerbTests {
  private let phone = CommandPhone()

  @Test
  func
    `If the peer refuses the app in a new container, the app advises baton restore, which moves the wallet`()
    throws
  {
    _ = try phone.run("up")
    #expect(
      try phone.run("restore") == "baton: this needs the app in the foreground; open it first\n")
    try phone.openAndConnect()
    #expect(
      try phone.run("restore")
        == "the wallet was already in this container and is connected under epoch 1; nothing was changed\n")
    #expect(try phone.run("restore", "--json").contains(#""state":"already-here""#))
    let earlier = try phone.invoice(sat: 1000)
    let invoice = try phone.invoice()
    // This payment's step makes a backup that has the invoice.
    #expect(try phone.run("pay", earlier).contains("settled: 1,000 sat"))
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    let home = phone.scratch("phone")
    try FileManager.default.moveItem(atPath: "\(home)/AppGroup", toPath: "\(home)/old")
    _ = try phone.run("app", "open")
    try Wait.until("the app to be refused") {
      try phone.run("status").contains("this node is in use by another device; `baton restore` moves it here")
    }
    #expect(try phone.run("restore").hasPrefix("the wallet is now in this container, connected under epoch "))
    #expect(try phone.run("restore").hasSuffix("; nothing was changed\n"))
    #expect(try phone.run("pay", invoice).contains("settled: 5,000 sat"))
    #expect(
      try phone.run("status").contains(
        "balance          1,006,000 sat; the wallet can receive 8,994,000 sat\n"))
    #expect(try phone.run("inspect").contains("the user moved the wallet here"))
    _ = try phone.run("down")
    // Half of the evidence is in the other container: no verdict.
    let judgement = try phone.run("judge")
    #expect(judgement.contains("the wallet moved into this container under epoch 3"), "\(judgement)")
    #expect(judgement.contains("Verdict: no verdict"), "\(judgement)")
    for rest in [["--other", "\(home)/old"], ["--without", "other"]] {
      let judgement = try phone.run(["judge", "--require-settled"] + rest)
      #expect(judgement.contains("Verdict: sound"), "\(judgement)")
    }
  }
}
