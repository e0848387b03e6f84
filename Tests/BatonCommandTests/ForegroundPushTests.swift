import Baton
import DaemonRuntime
import Testing
import WaitingTests

/// A payment while the app is in front.
@Suite(.waits) struct ForegroundPushTests {
  private let phone = CommandPhone()

  @Test
  func `K-27 An extension started beside the app in front waits, and leaves the node to the app`() throws {
    _ = try phone.run("up", "--foreground-pushes", "extension")
    try phone.openAndConnect()
    let push = phone.scratch.write(
      "push.apns", #"{"aps":{"alert":"pay","mutable-content":1},"reason":"IncomingPayment"}"#)
    #expect(try phone.run("push", push).contains("was delivered to the phone"))
    try Wait.until("the extension to wait") {
      try phone.run("status").contains(#/extension +serving .*: waiting: process \d+ holds the node/#)
    }
    let status = try phone.run("status")
    #expect(status.contains(#/holder +held by mainappd \d+, alive, with current beats/#))
    #expect(status.contains(#/epoch +1\n/#))
  }

  @Test
  func `P-1.5, K-45 A connected app in front is paid without a push or a notification`() throws {
    _ = try phone.run("up")
    try phone.openAndConnect()
    #expect(try phone.run("pay", try phone.invoice()).contains("settled: 5,000 sat"))
    #expect(try phone.fates() == [])
    try expectTheAppAlone()
  }

  @Test
  func `K-45 An app in front without a network is handed the push when the network is back, and is paid`()
    throws
  {
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("device", "network", "off")
    try phone.waitUntilAway()
    let payment = try phone.begin("pay", invoice, into: "paid")
    try Wait.until("the push") { try phone.fates().first??.hasPrefix("deferred: ") == true }
    try Wait.until("it to be said that it is held") { phone.scratch.text("paid").hasPrefix("held: ") }
    #expect(try phone.run("status").contains("1 held for the wallet"))
    _ = try phone.run("device", "network", "on")
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(phone.scratch.text("paid").contains("\nsettled: 5,000 sat"))
    #expect(try phone.fates() == ["given to the app in the foreground"])
    try expectTheAppAlone()
  }

  private func expectTheAppAlone() throws {
    #expect(try phone.run("notifications") == "no notification was shown yet\n")
    let processes = try phone.phone.askForJSON(.iosd, ControlMessage("ps", ["all": "yes"]))
    #expect(processes.elements?.map { $0["role"]?.text } == ["app"], "no extension was started")
  }
}
