import Guardrails
import Heartbeat

@Suite("Hostile input: false presence messages", .serialized, .waits) struct PresenceTests {
  /// A client that sends presence messages in the name of the other wallet process.
  private func liar(to role: Role, of phone: TestPhone) throws -> UnixConnection {
    let path = "\(phone.home)/AppGroup/presence/\(role.rawValue).sock"
    let connection = try #require(UnixConnection.connect(path: path, loop: phone.loop))
    connection.start()
    return connection
  }

  private func lie(_ message: PresenceMessage) -> ControlMessage {
    ControlMessage("presence", body: message.encoded())
  }

  @Test func `False requests for the node may delay a payment, which is then received once`() throws {
    let phone = try TestPhone()
    let app = try phone.launchApp()
    let invoice = try phone.invoices(1, app)[0]
    let deceived = try phone.launchExtension()
    let liar = try liar(to: .extension, of: phone)
    let id = phone.push(deceived)
    let lie = lie(PresenceMessage(code: .appPing, wantsNode: true, asksForHandover: true))
    try phone.pay(invoice)
    try phone.wait("the deceived extension to give up") {
      liar.send(lie)
      return deceived.message("finished", id: id) != nil || deceived.count("status") > 40
    }
    liar.close()
    if deceived.message("finished", id: id) == nil {
      deceived.send(ControlMessage("time-will-expire", ["id": "\(id)"]))
      try phone.wait("the text of the push") { deceived.message("finished", id: id) != nil }
    }
    expect(deceived.count("content"), is: 1)
    // Without the liar the payment is received once: by the next push, or by the one after it if late messages of
    // the liar made the extension step back again.
    var next = phone.push(deceived)
    try phone.wait("the payment to settle") {
      if deceived.message("finished", id: next) != nil { next = phone.push(deceived) }
      return (try? phone.outcome(invoice)) == "settled"
    }
    try phone.wait("the text") { deceived.message("content", id: next) != nil }
    expect(try phone.receivedPayments(), is: [invoice.paymentHash.hex])
  }

  @Test func `False messages about a release do not make the app take the holder's node`() throws {
    let phone = try TestPhone(["--stale-after", "300s"])
    let app = try phone.launchApp()
    _ = try phone.invoices(1, app)
    let holder = try phone.connectedExtension()
    // The stopped holder can neither hand over nor answer, and is not stale for another five minutes.
    holder.kill(SIGSTOP)
    let epoch = phone.owner?.epoch
    phone.open(app)
    try phone.wait("the app to wait") { app.statuses.contains("receiving payment in background") }
    let liar = try liar(to: .app, of: phone)
    for released in [epoch, nil, 0, UInt64(Int64.max), .max] {
      for code in PresenceCode.allCases {
        liar.send(
          lie(PresenceMessage(code: code, wantsNode: true, asksForHandover: true, released: released)))
      }
    }
    _ = try phone.loop.run(for: .milliseconds(500)) { false }
    expect(phone.owner?.epoch, is: epoch)
    holder.kill(SIGKILL)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    expect(phone.owner?.epoch, is: (epoch ?? 0) + 1)
  }

  @Test func `Garbage at the presence socket costs the extension less than 4 MiB`() throws {
    let phone = try TestPhone()
    let notifier = try phone.launchExtension()
    let before = try RealPhone.footprint(of: notifier.pid)
    let loop = phone.loop
    for number in 0..<300 {
      guard
        let client = UnixConnection.connect(
          path: "\(phone.home)/AppGroup/presence/extension.sock", loop: loop)
      else {
        _ = try loop.run(for: .milliseconds(1)) { false }
        continue
      }
      client.start()
      switch number % 4 {
      case 0: client.send(ControlMessage("presence", body: [UInt8](repeating: 0x42, count: 16)))
      case 1: client.send(ControlMessage("presence", body: [UInt8](repeating: 0, count: 100_000)))
      case 2: client.send(ControlMessage("push", ["id": "1"]))
      default: break
      }
    }
    let id = phone.push(notifier)
    try phone.wait("the extension to be connected") { notifier.status.hasPrefix("connected") }
    #expect(try RealPhone.footprint(of: notifier.pid) < before + 4 * 1024 * 1024)
    notifier.send(ControlMessage("time-will-expire", ["id": "\(id)"]))
    try phone.wait("the text of the push") { notifier.message("finished", id: id) != nil }
  }

  @Test
  func `With another program's listener on the app's presence socket the app notes it and still connects`()
    throws
  {
    let phone = try TestPhone()
    let first = try phone.launchExtension()
    first.send(ControlMessage("terminate"))
    try phone.wait("the container to be there") { first.hasEnded }
    var heard = 0
    let impostor = try UnixListener(path: "\(phone.home)/AppGroup/presence/app.sock", loop: phone.loop) {
      $0.onMessage = { _ in heard += 1 }
    }
    defer { impostor.shutDown() }
    let app = try phone.launchApp()
    #expect(
      phone.journal(of: "mainappd").contains("the other process cannot reach this one by presence messages"))
    _ = try phone.connectedExtension()
    // The intent is state in the container: the extension reads it without a message.
    try phone.connect(app)
    #expect(heard > 0)
    expect(phone.owner?.role, is: .app)
  }
}
