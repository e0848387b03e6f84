import CoreShape
import Foundation
import PairSupport
import Testing

@testable import DaemonRuntime

/// The real app is sent home at moments of chance, and the real phone stops it as soon as it may.
@Suite("Home presses") struct HomePressTests {
  /// Any moment of claiming, dialling, greeting and settling.
  private static let longestWait = 12

  @Test("K-18, K-20, P-1.1 Two hundred home presses at any moment: never suspended with a lock, never killed")
  func twoHundred() throws {
    let phone = try RealPhone(["--suspend-after", "0s", "--background-time", "40ms"])
    var chance = SystemRandomNumberGenerator()
    for number in 1...200 {
      _ = try phone.ask(.phone, ControlMessage("open"))
      poll(nil, 0, Int32.random(in: 0...Int32(Self.longestWait), using: &chance))
      if number.isMultiple(of: 10) {
        // Half-way through a payment, if it comes to that.
        let invoice = try? phone.ask(.phone, ControlMessage("invoice", ["amount-msat": "1000"]))
        if let text = invoice?["invoice"] {
          _ = try? phone.ask(.provider, ControlMessage("pay", ["invoice": text]))
        }
      }
      _ = try phone.ask(.phone, ControlMessage("home"))
      if number.isMultiple(of: 2) { try phone.waitForApp("suspended") }
    }
    try phone.waitForApp("suspended")
    let rows = try phone.processRows().filter { $0["role"] as? String == "app" }
    #expect(rows.count == 1, "one process has lived through all of it")
    #expect(rows.allSatisfy { $0["reason"] == nil })
  }

  @Test("P-1.5 While the app is connected the peer sends no push, and nobody else is started")
  func noPushWhileConnected() throws {
    let phone = try RealPhone()
    _ = try phone.ask(.phone, ControlMessage("open"))
    try phone.waitForStatus("connected")
    let invoice = try phone.ask(.phone, ControlMessage("invoice", ["amount-msat": "5000"]))
    let paid = try phone.baton(["pay", try #require(invoice["invoice"])])
    #expect(paid.code == 0)
    #expect(try phone.processRows().map { $0["role"] as? String } == ["app"])
  }

  @Test("A silent push wakes the suspended app, which receives what waits and is suspended again")
  func wakeToComplete() throws {
    let phone = try RealPhone([
      "--silent-pushes", "--suspend-after", "0s", "--foreground-pushes", "app",
    ])
    _ = try phone.ask(.phone, ControlMessage("open"))
    try phone.waitForStatus("connected")
    let invoice = try phone.ask(.phone, ControlMessage("invoice", ["amount-msat": "5000"]))
    _ = try phone.ask(.phone, ControlMessage("home"))
    try phone.waitForApp("suspended")
    // Nobody is started for the visible one: only the app can receive.
    _ = try phone.baton(["device", "notifications", "off"])
    let paid = try phone.baton(["pay", try #require(invoice["invoice"])])
    #expect(paid.code == 0, "\(paid.errors)")
    try phone.waitForApp("suspended")
    #expect(try phone.processRows().map { $0["role"] as? String } == ["app"])
    let judged = try phone.baton(["judge"])
    #expect(judged.code == 0, "\(judged.output)\(judged.errors)")
  }

  @Test("Without a network nobody is connected; with it the app is connected at once, and what waits is paid")
  func network() throws {
    let phone = try RealPhone()
    _ = try phone.ask(.phone, ControlMessage("open"))
    try phone.waitForStatus("connected")
    let invoice = try phone.ask(.phone, ControlMessage("invoice", ["amount-msat": "5000"]))
    #expect(try phone.baton(["device", "network", "off"]).code == 0)
    try phone.waitForStatus("connecting: there is no network")
    #expect(try phone.baton(["device", "network", "on"]).code == 0)
    try phone.waitForStatus("connected")
    #expect(try phone.baton(["pay", try #require(invoice["invoice"])]).code == 0)
  }
}

extension RealPhone {
  fileprivate func report(_ verb: String, _ fields: KeyValuePairs<String, String> = [:]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(ask(.phone, ControlMessage(verb, fields)).body))
  }

  fileprivate func processRows() throws -> [[String: Any]] {
    try report("ps", ["all": "yes"]) as? [[String: Any]] ?? []
  }

  private func app() throws -> [String: Any] {
    (try report("status") as? [String: Any])?["app"] as? [String: Any] ?? [:]
  }

  fileprivate func waitForApp(_ state: String) throws {
    try wait("the app to be \(state)") { try app()["state"] as? String == state }
  }

  fileprivate func waitForStatus(_ text: String) throws {
    try wait("the app to show \(text)") {
      (try app()["status"] as? [String: Any])?["text"] as? String == text
    }
  }

  private func wait(_ what: String, _ condition: () throws -> Bool) throws {
    let end = Clock.monotonicNow + .seconds(20)
    while try !condition() {
      guard Clock.monotonicNow < end else {
        throw TestPhone.TimedOut(
          description: "waited in vain for \(what): \(try app()) \(try report("ps", ["all": "yes"])) \(home)")
      }
      poll(nil, 0, 2)
    }
  }
}
