import Guardrails
import Heartbeat

@Suite("Hostile input: descriptor 3 at both ends", .serialized, .waits) struct ChannelTests {
  @Test(arguments: ["garbage", "too large", "gone"])
  func `An app that receives garbage or a disconnect on descriptor 3 releases the node and ends`(
    _ how: String
  )
    throws
  {
    let phone = try TestPhone()
    let app = try phone.connectedApp()
    switch how {
    case "garbage": app.send(raw: [1, 2, 3])
    case "too large": app.send(raw: [UInt8](repeating: 120, count: 140_000))
    default: app.hangUp()
    }
    try phone.wait("the app to end") { app.hasEnded }
    expect(app.end?.how, is: .exited(code: 0))
    expect(try phone.snapshot().appBeat?.phase, is: .released)
    #expect(phone.journal(of: "mainappd").contains("the phone is gone"))
    guard how != "gone" else { return }
    let error = app.messages.last { $0.message.verb == "error" }?.message.errorSentence
    expect(error?.hasPrefix("the message has "), is: true)
  }

  @Test
  func `The app refuses unknown requests and invalid fields in one sentence, and connects afterwards`() throws
  {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    for message in [
      ControlMessage("self-destruct"), ControlMessage("push"), ControlMessage("push", ["id": "-1"]),
      ControlMessage("push", ["id": "18446744073709551616"]), ControlMessage("time-will-expire", ["id": "x"]),
      ControlMessage("ask"), ControlMessage("ask", ["request": "empty"]),
      ControlMessage("ask", ["request": "noise"], body: [UInt8](repeating: 0xff, count: 100_000)),
    ] { app.send(message) }
    let asked = [
      "unknown": ControlMessage("self-destruct"),
      "none": ControlMessage("invoice", ["amount-msat": "0"]),
      "word": ControlMessage("invoice", ["amount-msat": "NaN"]),
      "long": ControlMessage(
        "invoice", ["amount-msat": "1", "description": String(repeating: "x", count: 201)]),
      "past": ControlMessage("invoice", ["amount-msat": "1", "expiry-seconds": "-1"]),
    ]
    for (request, message) in asked { app.ask(request, message) }
    try phone.wait("the answers") { app.count("answer") == 7 }
    let beginnings = [
      "empty": "the message has no empty line", "noise": "the message has no empty line",
      "unknown": "unknown request `self-destruct`", "none": "the field `amount-msat` must be",
      "word": "the field `amount-msat` must be", "long": "the field `description` must be",
      "past": "the field `expiry-seconds` must be",
    ]
    for (request, beginning) in beginnings {
      let sentence = app.answer(to: request)?.errorSentence
      expect(sentence?.hasPrefix(beginning), is: true, "\(request): \(sentence ?? "no answer")")
    }
    try phone.connect(app)
  }

  @Test func `A hostile wallet process's texts are cut, and iosd keeps answering`() throws {
    let phone = try RealPhone([
      "--app", "\(Started.directory)/TestHostileWallet", "--ext", "\(Started.directory)/TestHostileWallet",
    ])
    _ = try phone.ask(.phone, ControlMessage("open"))
    try Wait.until("its last notification") {
      try phone.ask(.phone, ControlMessage("notifications")).bodyText.contains("last notification")
    }
    let status = try phone.ask(.phone, ControlMessage("status")).bodyText
    #expect(!status.contains("\\u001b"))
    #expect(status.utf8.count < 20_000)
    let notifications = try phone.ask(.phone, ControlMessage("notifications")).bodyText
    #expect(!notifications.contains("\\u001b"))
    #expect(notifications.utf8.count < 131_072)
    // After its garbage the process is not read any more, and can still be ended.
    expect(try phone.ask(.phone, ControlMessage("quit")).verb, is: "ok")
    try Wait.until("the hostile process to end") {
      try phone.ask(.phone, ControlMessage("status")).bodyText.contains(#""app":{"state":"not running"}"#)
    }
  }
}
