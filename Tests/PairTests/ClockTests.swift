import DaemonRuntime
import Foundation
import Heartbeat
import PairSupport
import Testing
import WaitingTests

@Suite("The pair on real processes: the wall clock", .serialized, .waits)
struct ClockTests {
  @Test
  func `A step of the wall clock by an hour does not change the ownership`() throws {
    let phone = try TestPhone(["--beat-interval", "100ms", "--stale-after", "500ms"])
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let notifier = try phone.launchExtension()
    _ = phone.push(notifier)
    try phone.wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    let epoch = phone.owner?.epoch
    for hours: Int64 in [1, -1] {
      try phone.stepWallClock(hours: hours)
      let counter = try phone.snapshot().extensionBeat?.counter ?? 0
      try phone.wait("more beats") { ((try? phone.snapshot().extensionBeat?.counter) ?? 0) > counter + 8 }
      #expect(phone.owner?.epoch == epoch)
    }
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    try phone.stepWallClock(hours: 1)
    try phone.pay(invoice)
    try phone.waitUntilSettled(invoice)
    #expect(phone.owner?.epoch == (epoch ?? 0) + 1)
    let journal = phone.journal(of: "notifyextd")
    #expect(
      journal.contains("wall clock stepped by +3600") || journal.contains("wall clock stepped by +3599"))
    #expect(
      journal.contains("wall clock stepped by -7200") || journal.contains("wall clock stepped by -7199"))
  }
}
