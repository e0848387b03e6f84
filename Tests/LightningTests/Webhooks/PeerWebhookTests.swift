@testable import LightningProvider
@testable import Lightning

/// The LSP with a wallet's webhooks.
@Suite("The LSP's webhooks") struct PeerWebhookTests {
  private let url = "http://127.0.0.1/x"

  private func request(_ request: WebhookRequest) -> Message { .service(Bytes(request.encoded(id: "1"))) }

  private func replies(_ directives: [PeerDirective]) -> [String] {
    messages(directives).compactMap {
      if case .service(let payload) = $0 { String(decoding: payload.array, as: UTF8.self) } else { nil }
    }
  }

  private func called(_ directives: [PeerDirective]) -> [WebhookNotification] {
    directives.compactMap { if case .webhook(.call(let call)) = $0 { call.notification } else { nil } }
  }

  /// A wallet that has registered, was called, and is away.
  private func away(pushStrategy: PushForm = .phoenix) throws -> PeerFixture {
    var fixture = try PeerFixture.established(pushStrategy: pushStrategy)
    let directives = fixture.hear(request(.set(name: "a", url: url)))
    expect(called(directives), is: [.webhookRegistered])
    _ = fixture.handle(.webhookCalled(call: 1, .answered(status: 200)))
    _ = fixture.handle(.closed(connection: 1, "left"))
    return fixture
  }

  @Test func `A registration is stored before it is answered and before the webhook is called`() throws {
    var fixture = try PeerFixture.established()
    let directives = fixture.hear(request(.set(name: "a", url: url)))
    guard case .store(let changes) = directives.first, directives.count == 3,
      case .send(_, .service) = directives[1], case .webhook(.call) = directives[2]
    else {
      Issue.record("\(directives)")
      return
    }
    expect(changes.first, is: .frameActedOn(connection: 1))
    #expect(changes.contains(.webhook(.set(Webhook(name: "a", url: url)))))
  }

  @Test func `A refused request changes nothing but its frame's row`() throws {
    var fixture = try PeerFixture.established()
    for payload in [
      "{", #"{"jsonrpc":"2.0","id":"1","method":"lsps5.remove_webhook","params":{"app_name":"x"}}"#,
    ] {
      let directives = fixture.hear(.service(Bytes(Array(payload.utf8))))
      #expect(changes(directives) == [.frameActedOn(connection: 1)] && replies(directives).count == 1)
    }
    #expect(fixture.peer.state.webhooks == nil)
  }

  @Test(arguments: [PushForm.phoenix, .bitkit])
  func `A payment to a wallet with a webhook is announced there, and not by a push`(_ form: PushForm) throws {
    var fixture = try away(pushStrategy: form)
    let directives = fixture.pay(1)
    expect(called(directives), is: [.paymentIncoming])
    #expect(!directives.contains { if case .requestPush = $0 { true } else { false } })
    #expect(others(directives).contains(.answer(payment: 1, .held)))
    // Within the cooldown nothing goes out.
    expect(called(fixture.pay(2)), is: [])
  }

  @Test func `Without a webhook payments are announced by a push as ever`() throws {
    var fixture = try PeerFixture()
    let directives = fixture.pay(1)
    expect(called(directives), is: [])
    #expect(directives.contains { if case .requestPush = $0 { true } else { false } })
    expect(called(fixture.handle(.notificationOrdered(.onionMessageIncoming))), is: [])
  }

  @Test(.shows("P-1.5")) func `A connected wallet's webhooks hear of no payment and of no order`() throws {
    var fixture = try away()
    _ = try fixture.establish(2)
    expect(called(fixture.pay(1)), is: [])
    for order: WebhookNotification in [
      .onionMessageIncoming, .liquidityManagementRequest, .expirySoon(timeout: 9),
    ] {
      expect(fixture.handle(.notificationOrdered(order)), is: [])
    }
    _ = fixture.handle(.closed(connection: 2, "left"))
    expect(called(fixture.handle(.notificationOrdered(.onionMessageIncoming))), is: [.onionMessageIncoming])
  }

  @Test func `The wallet's connection ends the calls for a payment, also one under way`() throws {
    var fixture = try away()
    _ = fixture.pay(1)
    let directives = fixture.sendInit(2, fence(1))
    #expect(directives.contains(.webhook(.cancel(call: 2))))
    #expect(changes(directives).contains(.webhook(.ended(call: 2, .notNeeded))))
    expect(fixture.handle(.webhookCalled(call: 2, .timedOut)), is: [])
  }

  @Test func `The end of the last payment ends its calls`() throws {
    var fixture = try away()
    _ = fixture.pay(1, holdUntil: 5000)
    _ = fixture.handle(.webhookCalled(call: 2, .unreachable))
    #expect(changes(fixture.wake(at: 5000)).contains(.webhook(.ended(call: 2, .notNeeded))))
    #expect(fixture.peer.deadline == nil && fixture.peer.state.webhooks?.isQuiet == true)
  }

  @Test func `A call without an answer is repeated at the machine's deadline`() throws {
    var fixture = try away()
    _ = fixture.pay(1)
    fixture.now = 100
    _ = fixture.handle(.webhookCalled(call: 2, .unreachable))
    expect(fixture.peer.deadline, is: milliseconds(1100))
    expect(called(fixture.wake(at: 1100)), is: [.paymentIncoming])
  }

  @Test func `A payment that a push was for is not announced when its webhook is set later`() throws {
    var fixture = try PeerFixture()
    _ = fixture.pay(1)
    _ = try fixture.establish(1)
    _ = fixture.hear(request(.set(name: "a", url: url)))
    #expect(fixture.peer.hasWebhooks)
    expect(fixture.peer.state.webhooks?.calls.map(\.notification), is: [.webhookRegistered])
  }

  @Test func `A node without a channel is refused with LDK's code, and one before init is not heard`() throws
  {
    var fixture = try PeerFixture.established()
    _ = fixture.handle(.walletNamed(try #require(PrivateKey(SHA256.hash([8]))).publicKey))
    let stranger = try #require(PrivateKey(SHA256.hash([9]))).publicKey
    _ = fixture.handle(.connected(connection: 2, node: stranger))
    expect(replies(fixture.hear(request(.list), on: 2)), is: [])
    _ = fixture.visit(3, stranger, nil)
    let directives = fixture.hear(request(.set(name: "a", url: url)), on: 3)
    expect(replies(directives).first?.contains(#""code":1003"#), is: true)
    #expect(fixture.peer.state.webhooks == nil)
  }

  @Test func `Too many requests end the connection`() throws {
    var fixture = try PeerFixture.established()
    var answered = 0
    for _ in 0..<100 { answered += replies(fixture.hear(request(.list))).count }
    #expect(answered == 20 && !fixture.peer.isWalletConnected)
  }

  // MARK: The wire

  @Test func `Requests have LSPS0's type, and one that is too long is a parse error`() throws {
    let message = Message.service(Bytes(Array("{}".utf8)))
    expect(message.encoded(), is: [0x94, 0x19, 0x7b, 0x7d])
    expect(try Message(decoding: message.encoded()), is: message)
    let long = WebhookRequest.set(name: "a", url: String(repeating: "x", count: 8192)).encoded(id: "1")
    let padded = Array("{}".utf8) + [UInt8](repeating: 32, count: 9000)
    for payload in [long, padded] {
      let heard = try HeardMessage(Message.service(Bytes(payload)).encoded())
      #expect(heard.bytes.count < 100)
      var fixture = try PeerFixture.established()
      let reply = replies(fixture.hear(heard.message))
      expect(reply.first?.contains("-32700"), is: true)
    }
  }
}
