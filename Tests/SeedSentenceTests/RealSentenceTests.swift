import Foundation
import Heartbeat
import PairSupport
import Testing

/// What the text says of processes, with real ones; numbers are its lines.
@Suite("Seed sentences: on real processes", .serialized) struct RealSentenceTests {
  @Test("16: '2 separate processes', on one shared directory") func separate() throws {
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
    #expect(phone.owner?.epoch == 2, "the app's claim was the first in the same container")
  }

  @Test(
    "63 and 73 and 81: Send starts a payment and 'a long-lived task' with it, and the app goes home 'also' while it sends"
  )
  func sending() throws {
    let phone = try TestPhone(peerArguments: ["--arrival-delay", "1s"])
    defer { phone.end() }
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    let invoice = try phone.externalInvoice(5000)
    #expect(try phone.send(invoice, app)["state"] == "offered")
    phone.home(app)
    try phone.wait("the app to ask for its time") { app.count("background-begin") == 1 }
    let name = app.messages.last { $0.message.verb == "background-begin" }?.message["name"]
    #expect(name == "outgoing payment \(invoice.paymentHash.hex.prefix(8))")
    #expect(phone.sentState(invoice) == "pending")
    try phone.wait("the app to give it back") { app.count("background-end") == 1 }
    #expect(phone.sentState(invoice) == "paid")
  }

  @Test(
    "114 and 122: the app says why it waits; 'durable because, if the notifySrvExt process crashes', it connects"
  )
  func crash() throws {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let notifier = try phone.launchExtension()
    _ = phone.push(notifier)
    try phone.wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    // It cannot hand over any more, and is not dead yet.
    notifier.kill(SIGSTOP)
    phone.open(app)
    try phone.wait("the app to say why it waits") { app.status == "receiving payment in background" }
    notifier.kill(SIGKILL)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    #expect(phone.owner?.role == .app)
    try phone.pay(invoice)
    try phone.waitUntilSettled(invoice)
    #expect(try phone.receivedPayments() == [invoice.paymentHash.hex])
  }
}
