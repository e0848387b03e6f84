@testable import DaemonRuntime

/// The real app is sent home at random moments, and the real phone suspends it as soon as permitted.
@Suite("Home presses", .waits) struct HomePressTests {
  /// Any moment of claiming, dialling, `init` and settling.
  private static let longestWait = 12

  /// `BATON_SEED=… scripts/test --filter HomePress` presses at the moments of an earlier run.
  private static let seed = getenv("BATON_SEED").flatMap { UInt64(String(cString: $0)) }

  /// `BATON_PRESSES=1000` presses so often, in place of the 200.
  private static let presses = getenv("BATON_PRESSES").flatMap { Int(String(cString: $0)) } ?? 200

  private static let furtherPayments = 80

  @Test(.shows("K-18", "K-20", "P-1.1"))
  func `In 200 home presses, some during a payment, the app is never suspended with a lock or killed`()
    throws
  {
    let seed = Self.seed ?? .random(in: 0...UInt64(UInt32.max))
    do {
      try press(seed)
    } catch {
      Issue.record("BATON_SEED=\(seed) presses at the same moments again: \(error)")
    }
  }

  /// The background time is so short that it expires in some of the presses.
  private func press(_ seed: UInt64) throws {
    let phone = try RealPhone(["--suspend-after", "0s", "--background-time", "1ms"])
    var chance = SeededGenerator(seed: seed)
    let again = "; BATON_SEED=\(seed) presses at the same moments again"
    let invoices = try makeInvoices(phone)
    var open = invoices[...]
    func pressHome(_ invoice: PayableInvoice?) throws {
      _ = try phone.ask(.phone, ControlMessage("open"))
      poll(nil, 0, Int32(chance.below(Self.longestWait + 1)))
      if let invoice {
        try phone.waitForStatus("connected")
        try phone.driver().pay(invoice, holdSeconds: 3600)
        poll(nil, 0, Int32(chance.below(4)))
      }
      _ = try phone.ask(.phone, ControlMessage("home"))
    }
    for number in 1...Self.presses {
      try pressHome(number.isMultiple(of: 10) ? open.popFirst() : nil)
      if number.isMultiple(of: 2) { try phone.waitForApp("suspended") }
    }
    // On a busy machine each payment may have settled before its press.
    while try phone.pressesWhileSettling() == 0, let invoice = open.popFirst() {
      try pressHome(invoice)
      try phone.waitForApp("suspended")
    }
    try phone.waitForApp("suspended")
    try settle(invoices.dropLast(open.count), phone)
    #expect(try phone.pressesWhileSettling() > 0, "no press interrupted a payment\(again)")
    let rows = try phone.driver().phone.allProcesses().filter { $0.role == "app" }
    expect(rows.count, is: 1, "one process survives all presses\(again)")
    #expect(rows.allSatisfy { $0.reason == nil }, "\(rows)\(again)")
    let expiries = try phone.messageCount("taskExpiring")
    #expect(expiries > 0, "the background time expired in no press\(again)")
    #expect(expiries < Self.presses, "the background time expired in every press\(again)")
    #expect(!phone.journal().contains("0xdead10cc"), "\(again)")
    #expect(try phone.suspensions() >= Self.presses / 2, "\(again)")
  }

  private func makeInvoices(_ phone: RealPhone) throws -> [PayableInvoice] {
    let driver = try phone.driver()
    try driver.openAndConnect()
    let invoices = try (1...Self.presses / 10 + Self.furtherPayments).map { _ in
      try driver.makeInvoice(amountMsat: 1_000)
    }
    try driver.goHomeAndRelease()
    return invoices
  }

  /// The app, in front once more, receives what the presses interrupted.
  private func settle(_ invoices: ArraySlice<PayableInvoice>, _ phone: RealPhone) throws {
    _ = try phone.ask(.phone, ControlMessage("open"))
    for invoice in invoices {
      let question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex])
      expect(try phone.ask(.provider, question)["state"], is: "settled")
    }
    _ = try phone.ask(.phone, ControlMessage("home"))
    try phone.waitForApp("suspended")
    let judged = try phone.baton(["judge"])
    expect(judged.code, is: 0, "\(judged.output)\(judged.errors)")
  }

  @Test(.shows("B-1.5.1c", "B-M.2"))
  func `A silent push wakes the suspended app, which receives, stays below 100 MB and is suspended again`()
    throws
  {
    let phone = try RealPhone([
      "--silent-pushes", "--suspend-after", "0s", "--foreground-pushes", "app",
    ])
    _ = try phone.ask(.phone, ControlMessage("open"))
    try phone.waitForStatus("connected")
    let invoice = try phone.invoice()
    _ = try phone.ask(.phone, ControlMessage("home"))
    try phone.waitForApp("suspended")
    // No extension is started for the visible push: only the app can receive.
    _ = try phone.baton(["device", "notifications", "off"])
    let paid = try phone.baton(["pay", invoice])
    expect(paid.code, is: 0, "\(paid.errors)")
    try phone.waitForApp("suspended")
    expect(try phone.driver().phone.allProcesses().map(\.role), is: ["app"])
    _ = try phone.ask(.phone, ControlMessage("quit"))
    try phone.waitForApp("not running")
    let peak = try #require(try phone.peak(of: "app"))
    #expect(peak > 0 && (peak < 100 << 20 || RealPhone.isSanitized))
    let judged = try phone.baton(["judge"])
    expect(judged.code, is: 0, "\(judged.output)\(judged.errors)")
  }

  /// The limit of 24 MB is in force; the released extension needs a third of it.
  @Test(
    .shows("B-0.3", "B-M.1"), .disabled(if: RealPhone.isSanitized, "its memory is the sanitizer's")
  )
  func `One extension process receives three payments, with a peak footprint below 24 MB`()
    throws
  {
    let phone = try RealPhone()
    _ = try phone.ask(.phone, ControlMessage("open"))
    try phone.waitForStatus("connected")
    let invoices = try (1...3).map { try phone.invoice(msat: $0 * 1_000) }
    _ = try phone.ask(.phone, ControlMessage("quit"))
    try phone.waitForApp("not running")
    for invoice in invoices {
      let paid = try phone.baton(["pay", invoice])
      expect(paid.code, is: 0, "\(paid.errors)")
    }
    try phone.driver().endExtension()
    expect(try phone.driver().phone.allProcesses().map(\.role), is: ["app", "extension"])
    let peak = try #require(try phone.peak(of: "extension"))
    #expect(peak > 0 && peak < 25_165_824)
  }
}

extension RealPhone {
  /// How often the app was sent home while its node settled a payment.
  fileprivate func pressesWhileSettling() throws -> Int {
    var isSettling = false
    var presses = 0
    for line in journal(of: "mainappd").split(separator: "\n") where line.contains(#""core":"guard-app""#) {
      if line.contains(#""event":{"node":{"_0":{"busy""#) {
        isSettling = line.contains(#""isSettling":true"#)
      }
      if isSettling, line.contains(#""event":{"enteredBackground""#) { presses += 1 }
    }
    return presses
  }

  /// How often iosd stopped the app.
  fileprivate func suspensions() throws -> Int {
    journal().components(separatedBy: #""suspend":{"_0":"app"}"#).count - 1
  }

  /// How often iosd sent this message to the app.
  fileprivate func messageCount(_ message: String) throws -> Int {
    journal().components(separatedBy: #""_0":"app","_1":{"\#(message)""#).count - 1
  }

  /// The peak footprint of the last process of a role, once it has ended.
  fileprivate func peak(of role: String) throws -> UInt64? {
    try driver().phone.allProcesses().last { $0.role == role }?.peakFootprintBytes
  }

  fileprivate func waitForApp(_ state: String) throws {
    let driver = try driver()
    try driver.wait(for: "the app to be \(state)") { try driver.state(of: .app) == state }
  }

  fileprivate func waitForStatus(_ text: String) throws {
    let driver = try driver()
    try driver.wait(for: "the app to show \(text)") { try driver.status().app.status?["text"] == text }
  }
}
