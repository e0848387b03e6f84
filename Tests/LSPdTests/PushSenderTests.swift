import LightningProvider

@testable import LSPd

@Suite("Delivery of pushes to iosd") final class PushSenderTests {
  private let directory = TemporaryDirectory()
  private let made: TestLedger
  private var ledger: Ledger { made.ledger }
  private let loop: EventLoop
  private var sender: PushSender!
  private var wanted = true
  /// The payment hashes of the pushes that iosd received.
  private var received: [String] = []

  init() throws {
    made = try TestLedger(directory.path)
    loop = try EventLoop()
    sender = PushSender(
      path: directory("iosd.sock"), loop: loop, ledger: ledger, body: PhoenixPush.body,
      isWanted: { [unowned self] _ in wanted }, onLedgerFailure: { Issue.record($0) })
  }

  private func hash(_ number: UInt8) -> Bytes32 { SHA256.hash([number]) }

  /// Stores a push request as a ledger step does.
  private func ask(_ number: UInt8) throws -> PushSender.Open {
    let request = PushRequest(reason: .incomingPayment, paymentHash: hash(number), amountMsat: 1000)
    let step = LedgerStep(at: loop.now, wallNanoseconds: 0, pushes: [request])
    return .init(id: try #require(try ledger.commit([step]).first), request: request)
  }

  /// Both pushes of a payment in Bitkit's form, as one step of the core requests them.
  private func askBoth(_ number: UInt8, holdUntil: Instant? = Instant(nanoseconds: .max)) throws
    -> [PushSender.Open]
  {
    let requests = [PushKind.silent, .alert].map { kind in
      PushRequest(
        reason: .incomingPayment, paymentHash: hash(number), amountMsat: 1000, kind: kind,
        payment: UInt64(number), holdUntil: holdUntil)
    }
    let step = LedgerStep(at: loop.now, wallNanoseconds: 0, pushes: requests)
    return zip(try ledger.commit([step]), requests).map { .init(id: $0, request: $1) }
  }

  /// A sender of bodies that name the kind alone.
  private func senderOfKinds() -> PushSender {
    PushSender(
      path: directory("iosd.sock"), loop: loop, ledger: ledger,
      body: { "\($0.kind?.rawValue ?? "no kind") \($0.payment ?? 0)" },
      isWanted: { [unowned self] _ in wanted }, onLedgerFailure: { Issue.record($0) })
  }

  private func phone(answering answer: ControlMessage = ControlMessage("push", ["id": "1"])) throws
    -> UnixListener
  {
    try UnixListener(path: directory("iosd.sock"), loop: loop) { [unowned self] client in
      client.onMessage = { [unowned self] message in
        received += (1...9).map { hash($0).hex }.filter { message.bodyText.contains($0) }
        client.send(answer)
      }
    }
  }

  private func rows() throws -> [String] {
    try ledger.database.rows(
      "SELECT outcome || coalesce(': ' || detail, ''), is_open, attempts FROM pushes ORDER BY id"
    ).map { "\(try $0.text(0)), open \(try $0.integer(1)), attempts \(try $0.integer(2))" }
  }

  /// Like Phoenix's: the reason is in clear, and so are hash and amount.
  @Test func `With silent pushes a payment in Phoenix's form has a visible and then a silent push`() throws {
    sender = PushSender(
      path: directory("iosd.sock"), loop: loop, ledger: ledger, body: PhoenixPush.body,
      extraBody: PhoenixPush.silentBody, isWanted: { _ in true }, onLedgerFailure: { Issue.record("\($0)") })
    var bodies: [JSONValue] = []
    let phone = try UnixListener(path: directory("iosd.sock"), loop: loop) { client in
      client.onMessage = { message in
        if let body = JSONValue(parsing: message.body) { bodies.append(body) }
        client.send(ControlMessage("push", ["id": "\(bodies.count)"]))
      }
    }
    sender.send([try ask(1)])
    #expect(try loop.run(for: .seconds(60)) { bodies.count == 2 && phone.connectionCount == 0 })
    let (visible, silent) = (try #require(bodies.first?["aps"]), try #require(bodies.last?["aps"]))
    expect(visible["alert"]?["title"]?.text, is: "Incoming payment")
    expect(visible["alert"]?["body"]?.text, is: "Open the app to receive")
    expect(visible["sound"]?.text, is: "default")
    expect(visible["interruption-level"]?.text, is: "time-sensitive")
    #expect(visible["mutable-content"]?.int == 1 && visible["content-available"] == nil)
    #expect(silent["content-available"]?.int == 1 && silent["alert"] == nil)
    for body in bodies {
      expect(body["reason"]?.text, is: "IncomingPayment")
      #expect(body["payment_hash"]?.text == hash(1).hex && body["amount_msat"]?.uint == 1000)
    }
    // The ledger has the visible push alone.
    expect(try rows(), is: ["delivered, open 0, attempts 1"])
    phone.shutDown()
  }

  @Test func `A delivered push is closed, and a later request for the same payment is a push of its own`()
    throws
  {
    let phone = try phone()
    sender.send([try ask(1)])
    #expect(try loop.run(for: .seconds(60)) { (try? rows()) == ["delivered, open 0, attempts 1"] })
    #expect(try ledger.readOpenPushes().isEmpty)
    // A later push for the same payment.
    sender.send([try ask(1)])
    #expect(try loop.run(for: .seconds(60)) { received.count == 2 && phone.connectionCount == 0 })
    expect(received, is: [hash(1).hex, hash(1).hex])
    expect(try rows(), is: ["delivered, open 0, attempts 1", "delivered, open 0, attempts 1"])
    phone.shutDown()
  }

  @Test
  func `While iosd is down repeated push requests are merged; when it comes up each payment gets one push`()
    throws
  {
    for number: UInt8 in [1, 2, 1] { sender.send([try ask(number)]) }
    expect(
      try rows(),
      is: [
        "iosd-away, open 1, attempts 1", "iosd-away, open 1, attempts 1", "merged, open 0, attempts 0",
      ])
    expect(try ledger.readOpenPushes().map(\.request.paymentHash), is: [hash(1), hash(2)])
    let phone = try phone()
    #expect(try loop.run(for: .seconds(60)) { received.count == 2 && phone.connectionCount == 0 })
    expect(Set(received), is: [hash(1).hex, hash(2).hex])
    #expect(try ledger.readOpenPushes().isEmpty)
    phone.shutDown()
  }

  @Test func `A push that is no longer needed when iosd comes up is closed without being sent`() throws {
    sender.send([try ask(1)])
    wanted = false
    let phone = try phone()
    #expect(try loop.run(for: .seconds(60)) { (try? rows()) == ["not-needed, open 0, attempts 1"] })
    #expect(received.isEmpty)
    phone.shutDown()
  }

  @Test func `A push that iosd refuses stays open with iosd's reason`() throws {
    let phone = try phone(answering: .error("no room"))
    sender.send([try ask(1)])
    let row = "refused: no room, open 1, attempts 1"
    #expect(try loop.run(for: .seconds(60)) { (try? rows()) == [row] })
    phone.shutDown()
  }

  @Test func `The silent push of a payment reaches iosd before its alert, and both have their rows`() throws {
    sender = senderOfKinds()
    var bodies: [String] = []
    let phone = try UnixListener(path: directory("iosd.sock"), loop: loop) { client in
      client.onMessage = { message in
        bodies.append(message.bodyText)
        client.send(ControlMessage("ok", ["id": "\(bodies.count)"]))
      }
    }
    sender.send(try askBoth(1))
    let done = "delivered, open 0, attempts 1"
    #expect(try loop.run(for: .seconds(60)) { (try? rows()) == [done, done] && phone.connectionCount == 0 })
    expect(bodies, is: ["silent 1", "alert 1"])
    let kinds = try ledger.database.rows("SELECT kind, payment FROM pushes ORDER BY id").map {
      "\(try $0.text(0)) \(try $0.integer(1))"
    }
    expect(kinds, is: ["silent 1", "alert 1"])
    phone.shutDown()
  }

  @Test func `While iosd is down the silent push is tried once, and the alert until it is delivered`() throws
  {
    sender = senderOfKinds()
    sender.send(try askBoth(1))
    expect(try rows(), is: ["iosd-away, open 0, attempts 1", "iosd-away, open 1, attempts 1"])
    let phone = try phone()
    #expect(try loop.run(for: .seconds(60)) { (try? rows())?.last?.hasPrefix("delivered, open 0") == true })
    expect(try rows().first, is: "iosd-away, open 0, attempts 1")
    phone.shutDown()
  }

  /// The payments whose pushes came over each connection.
  private func connections(whileAway send: () throws -> Void) throws -> [[String]] {
    var connections: [[String]] = []
    try send()
    let phone = try UnixListener(path: directory("iosd.sock"), loop: loop) { client in
      let place = connections.count
      connections.append([])
      client.onMessage = { message in
        connections[place].append(message.bodyText)
        client.send(ControlMessage("ok", ["id": "1"]))
      }
    }
    #expect(try loop.run(for: .seconds(60)) { (try? ledger.readOpenPushes().isEmpty) == true })
    phone.shutDown()
    return connections
  }

  @Test func `Of the alerts that have waited for iosd at most 16 go out at once, the oldest first`() throws {
    sender = senderOfKinds()
    let alerts = (1...20).map { "alert \($0)" }
    let sent = try connections {
      for number: UInt8 in 1...20 { sender.send(try askBoth(number)) }
    }
    expect(sent, is: [Array(alerts[..<16]), Array(alerts[16...])])
  }

  @Test func `Of the pushes of before a restart at most 16 go out at once, and later alerts are merged`()
    throws
  {
    let asked = try (1...20).flatMap { try askBoth($0) }
    sender = senderOfKinds()
    let sent = try connections {
      sender.resume(asked)
      // Of the pushes 1 to 8 the silent ones were tried in vain; the last one waits for its turn.
      expect(try rows().last, is: "asked, open 1, attempts 0")
      sender.send(try askBoth(20))
    }
    expect(try rows().last, is: "merged, open 0, attempts 0")
    expect(sent.map(\.count), is: [16, 16])
    expect(
      Set(sent.flatMap { $0 }), is: Set((9...20).map { "silent \($0)" } + (1...20).map { "alert \($0)" }))
  }

  @Test func `A silent push that iosd refuses does not keep the alert from being delivered`() throws {
    sender = senderOfKinds()
    let phone = try UnixListener(path: directory("iosd.sock"), loop: loop) { client in
      client.onMessage = { message in
        client.send(message.bodyText.hasPrefix("silent") ? .error("no") : ControlMessage("ok", ["id": "1"]))
      }
    }
    sender.send(try askBoth(1))
    let both = ["refused: no, open 0, attempts 1", "delivered, open 0, attempts 1"]
    #expect(try loop.run(for: .seconds(60)) { (try? rows()) == both })
    phone.shutDown()
  }

  @Test func `Alerts of two payments of one hash with different holds are not merged`() throws {
    sender = senderOfKinds()
    sender.send(try askBoth(1, holdUntil: Instant(nanoseconds: 5)))
    sender.send(try askBoth(1, holdUntil: Instant(nanoseconds: 6)))
    sender.send(try askBoth(1, holdUntil: Instant(nanoseconds: 6)))
    expect(
      try rows(),
      is: [
        "iosd-away, open 0, attempts 1", "iosd-away, open 1, attempts 1", "iosd-away, open 0, attempts 1",
        "iosd-away, open 1, attempts 1", "iosd-away, open 0, attempts 1", "merged, open 0, attempts 0",
      ])
  }

  @Test func `After a restart the open pushes are those of before, with kind, payment and hold`() throws {
    let asked = try askBoth(3, holdUntil: Instant(nanoseconds: 7))
    let phoenix = try ask(4)
    let read = try made.again().readOpenPushes()
    expect(read.map(\.request), is: asked.map(\.request) + [phoenix.request])
  }
}
