import Foundation
import Heartbeat
import PairSupport
import Testing

/// Phoenix's text on processes, with real ones; numbers are its lines.
@Suite("Seed sentences: on real processes", .serialized) struct RealSentenceTests {
  @Test func `16: '2 separate processes' use one shared directory`() throws {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    let notifier = try phone.launchExtension()
    #expect(app.pid != notifier.pid)
    func program(_ pid: Int32) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/exe").split(separator: "/")
        .last
        .map(String.init)
    }
    #expect(program(app.pid) == "mainappd")
    #expect(program(notifier.pid) == "notifyextd")
    _ = try phone.invoices(1, app)
    _ = phone.push(notifier)
    try phone.wait("the extension's claim") { phone.owner?.role == .extension }
    #expect(phone.owner?.epoch == 2, "the app's claim in the same container was epoch 1")
  }

  @Test
  func `63 and 73 and 81: 'a long-lived task' keeps the app running until its payment is sent`() throws {
    let phone = try TestPhone(peerArguments: ["--arrival-delay", "1s"])
    defer { phone.end() }
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    let invoice = try phone.externalInvoice(5000)
    #expect(try phone.send(invoice, app)["state"] == "offered")
    phone.home(app)
    try phone.wait("the app to begin its background task") { app.count("background-begin") == 1 }
    let name = app.messages.last { $0.message.verb == "background-begin" }?.message["name"]
    #expect(name == "outgoing payment \(invoice.paymentHash.hex.prefix(8))")
    #expect(phone.sentState(invoice) == "pending")
    try phone.wait("the app to end its background task") { app.count("background-end") == 1 }
    #expect(phone.sentState(invoice) == "paid")
  }

  @Test
  func `114 and 122: the app shows why it waits, and connects 'if the notifySrvExt process crashes'`() throws
  {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let notifier = try phone.launchExtension()
    _ = phone.push(notifier)
    try phone.wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    // A stopped extension cannot hand over, and is not dead.
    notifier.kill(SIGSTOP)
    phone.open(app)
    try phone.wait("the app to show why it waits") { app.status == "receiving payment in background" }
    notifier.kill(SIGKILL)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    #expect(phone.owner?.role == .app)
    try phone.pay(invoice)
    try phone.waitUntilSettled(invoice)
    #expect(try phone.receivedPayments() == [invoice.paymentHash.hex])
  }
}
