import Ground
import DaemonRuntime
import Foundation
import Guardrails
import Heartbeat
import PairSupport
import Testing

@Suite("Hostile input: descriptor 3, from both ends", .serialized)
struct ChannelTests {
  @Test(
    "A phone that says what is no message, or is gone, can tell nothing any more: the wallet releases its node and ends",
    arguments: ["garbage", "too large", "gone"])
  func brokenPhone(_ how: String) throws {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    switch how {
    case "garbage": app.send(raw: [1, 2, 3])
    case "too large": app.send(raw: [UInt8](repeating: 120, count: 140_000))
    default: app.hangUp()
    }
    try phone.wait("the app to end") { app.hasEnded }
    #expect(app.end?.how == .exited(code: 0))
    #expect(try phone.snapshot().appBeat?.phase == .released)
    #expect(phone.journal(of: "mainappd").contains("the phone is gone"))
    guard how != "gone" else { return }
    let complaint = app.messages.last { $0.message.verb == "error" }?.message.errorSentence
    #expect(complaint?.hasPrefix("the message has ") == true)
  }

  @Test("Verbs that are not known, and fields that are wrong, are noted and change nothing")
  func wrongWords() throws {
    let phone = try TestPhone()
    defer { phone.end() }
    let app = try phone.launchApp()
    for message in [
      ControlMessage("self-destruct"), ControlMessage("push"), ControlMessage("push", ["id": "-1"]),
      ControlMessage("push", ["id": "18446744073709551616"]), ControlMessage("time-will-expire", ["id": "x"]),
      ControlMessage("invoice", ["request": "a", "amount-msat": "0"]),
      ControlMessage("invoice", ["request": "b", "amount-msat": "NaN"]),
      ControlMessage(
        "invoice", ["request": "c", "amount-msat": "1", "description": String(repeating: "x", count: 201)]),
      ControlMessage("invoice", ["request": "d", "amount-msat": "1", "expiry-seconds": "-1"]),
    ] { app.send(message) }
    try phone.wait("the answers") { app.count("invoice-failed") == 4 }
    #expect(app.message(request: "a")?["message"]?.hasPrefix("the field `amount-msat` must be") == true)
    #expect(app.message(request: "c")?["message"]?.hasPrefix("the field `description` must be") == true)
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
  }

  @Test(
    "A hostile wallet process: what it says is cut to what a screen shows, and the phone goes on answering")
  func hostileWallet() throws {
    let phone = try RealPhone([
      "--app", "\(TestPhone.binaries)/TestVandal", "--ext", "\(TestPhone.binaries)/TestVandal",
    ])
    _ = try phone.ask(.phone, ControlMessage("open"))
    try RealPhone.wait("its last words") {
      try phone.ask(.phone, ControlMessage("notifications")).bodyText.contains("last notification")
    }
    let status = try phone.ask(.phone, ControlMessage("status")).bodyText
    #expect(!status.contains("\\u001b"))
    #expect(status.utf8.count < 20_000)
    let notifications = try phone.ask(.phone, ControlMessage("notifications")).bodyText
    #expect(!notifications.contains("\\u001b"))
    #expect(notifications.utf8.count < 131_072)
    // It said garbage in the end: it is not heard any more, and can still be ended.
    #expect(try phone.ask(.phone, ControlMessage("quit")).verb == "ok")
    try RealPhone.wait("it to have ended") {
      try phone.ask(.phone, ControlMessage("status")).bodyText.contains(#""app":{"state":"not running"}"#)
    }
  }
}
