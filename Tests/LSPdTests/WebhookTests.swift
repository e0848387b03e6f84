import LightningIO
import PhonePolicy

@testable import HTTP

/// lspd with a wallet's webhooks: what is posted, when, and what a restart keeps.
@Suite("lspd's webhooks", .serialized) struct WebhookTests {
  private final class Stage {
    let provider: ProviderProcess
    let server: WebhookServer
    let wallet: ScriptedWallet
    private var epoch: UInt64 = 0
    private var lastID = 0

    init(_ arguments: [String] = ["--only-webhooks"]) throws {
      provider = try ProviderProcess(arguments)
      server = try WebhookServer(loop: provider.loop)
      wallet = ScriptedWallet(loop: provider.loop)
    }

    func connect() throws {
      epoch += 1
      try wallet.connect(to: try #require(provider.address), fence(epoch))
      #expect(try provider.eventually { wallet.channel?.isReestablished == true })
    }

    func leave() throws {
      wallet.hangUp()
      #expect(
        try provider.eventually {
          try provider.ledger("SELECT count(*) FROM connections WHERE closed_at_ns IS NULL") == [0]
        })
    }

    /// The payload of the answer.
    func ask(_ request: WebhookRequest) throws -> JSONValue {
      lastID += 1
      let id = "\(lastID)"
      wallet.send(.service(Bytes(request.encoded(id: id))))
      var answer: JSONValue?
      #expect(
        try provider.eventually {
          for case .service(let payload) in wallet.received {
            guard let value = JSONValue(parsing: payload.array), value["id"]?.text == id else { continue }
            answer = value
          }
          return answer != nil
        })
      return try #require(answer)
    }

    func set(_ name: String = "a") throws {
      expect(try ask(.set(name: name, url: server.url))["result"]?["no_change"]?.flag, is: false)
    }

    func posts(_ count: Int) throws -> [WebhookServer.Post] {
      #expect(try provider.eventually { server.posts.count >= count }, "\(server.posts)")
      return server.posts
    }

    func pay(_ number: UInt64, holdSeconds: Int = 60) throws {
      let answer = try provider.client().request(
        ControlMessage(
          "pay",
          [
            "payment-hash": paymentHash(number).hex, "amount-msat": "1000", "wait": "no",
            "hold-seconds": "\(holdSeconds)",
          ]))
      expect(answer["state"], is: (holdSeconds > 0 ? "held" : "failed"))
    }

    func list() throws -> WebhookList {
      try #require(WebhookList(json: try provider.client().request(ControlMessage("webhooks")).body))
    }

    func outcomes(_ expected: [String]) throws {
      var seen: [String] = []
      let isReached = try provider.eventually {
        seen = try list().calls.map(\.outcome)
        return seen == expected
      }
      #expect(isReached, "\(seen)")
    }
  }

  private func method(_ post: WebhookServer.Post) -> String {
    JSONValue(parsing: Array(post.body.utf8))?["method"]?.text ?? post.body
  }

  @Test(.shows("L-1.4c")) func `A wallet without a webhook is not woken, and one with it is called`() throws {
    let stage = try Stage()
    try stage.connect()
    try stage.leave()
    try stage.pay(1)
    #expect(
      try stage.provider.eventually {
        try stage.provider.ledger("SELECT outcome FROM pushes") == [.text("no-phone")]
      })
    expect(stage.server.posts, is: [])
    try stage.connect()
    try stage.set()
    _ = try stage.posts(1)
    try stage.leave()
    try stage.pay(2)
    let posts = try stage.posts(2)
    expect(posts.map(method), is: ["lsps5.webhook_registered", "lsps5.payment_incoming"])
    expect(try stage.provider.ledger("SELECT count(*) FROM pushes"), is: [1])
    try stage.outcomes(["delivered", "delivered"])
  }

  @Test func `A notification is posted as bLIP-55 has it, signed with the node's key`() throws {
    let stage = try Stage()
    try stage.connect()
    try stage.set()
    let post = try #require(try stage.posts(1).first)
    expect(post.line, is: "POST /wake?token=5 HTTP/1.1")
    expect(post.headers["content-type"], is: "application/json")
    expect(post.body, is: #"{"jsonrpc":"2.0","method":"lsps5.webhook_registered","params":{}}"#)
    #expect(post.timestamp.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    let text = "LSPS5: DO NOT SIGN THIS MESSAGE MANUALLY: LSP: At \(post.timestamp) I notify \(post.body)"
    expect(SignedMessage.signer(of: text, post.signature), is: stage.provider.address?.node)
  }

  @Test func `A registration, an open call and a cooldown outlive a kill`() throws {
    let stage = try Stage()
    stage.server.answer = nil
    try stage.connect()
    try stage.set()
    let first = try #require(try stage.posts(1).first)
    stage.provider.kill()
    stage.server.answer = "HTTP/1.1 200 OK\r\n\r\n"
    try stage.provider.start()
    let again = try stage.posts(2)[1]
    // The same notification, by its time and signature.
    expect(again, is: first)
    try stage.outcomes(["delivered"])
    expect(try stage.list().calls.first?.attempts, is: 2)
    try stage.pay(1)
    expect(try stage.posts(3).map(method).last, is: "lsps5.payment_incoming")
    try stage.outcomes(["delivered", "delivered"])
    stage.provider.kill()
    try stage.provider.start()
    try stage.pay(2)
    expect(try stage.list().calls.count, is: 2)
  }

  @Test func `While a server is silent the wallet connects and is paid, and its connection ends the call`()
    throws
  {
    let stage = try Stage()
    try stage.connect()
    try stage.set()
    _ = try stage.posts(1)
    try stage.outcomes(["delivered"])
    try stage.leave()
    stage.server.answer = nil
    try stage.pay(1)
    _ = try stage.posts(2)
    expect(try stage.list().calls.last?.outcome, is: "asked")
    try stage.connect()
    try stage.outcomes(["delivered", "not-needed"])
    #expect(
      try stage.provider.eventually {
        try stage.provider.ledger("SELECT count(*) FROM payments WHERE state = 'paid'") == [1]
      })
  }

  @Test(arguments: [
    ("HTTP/1.1 500 Internal Server Error\r\n\r\n", "answered-otherwise", 500),
    ("HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n", "answered-otherwise", 302),
    ("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1_000_000), "delivered", 200),
    ("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nx", "delivered", 200),
  ])
  func `Any answer ends the call by its status, and no redirect is followed`(
    _ answer: String, _ outcome: String, _ status: Int64
  ) throws {
    let stage = try Stage()
    stage.server.answer = answer
    try stage.connect()
    try stage.set()
    try stage.outcomes([outcome])
    let call = try #require(try stage.list().calls.first)
    #expect(call.status == status && call.attempts == 1 && stage.server.posts.count == 1)
  }

  @Test func `A removed webhook's call is disconnected, before an earlier one has used up its ten seconds`()
    throws
  {
    let stage = try Stage()
    stage.server.answer = nil
    try stage.connect()
    try stage.set("a")
    _ = try stage.posts(1)
    try stage.set("b")
    _ = try stage.posts(2)
    expect(try stage.ask(.remove(name: "b"))["result"]?.isObject, is: true)
    #expect(try stage.provider.eventually { !stage.server.closed.isEmpty })
    expect(stage.server.closed.first, is: 2)
  }

  @Test func `lspd that other machines can reach has no webhooks unless they are public ones`() throws {
    let stage = try Stage(["--listen", "0.0.0.0:0"])
    let address = try #require(stage.provider.address)
    let port = address.place.port
    try stage.wallet.connect(
      to: PeerAddress(node: address.node, place: HostAndPort(loopback: port)), fence(1))
    #expect(try stage.provider.eventually { stage.wallet.channel?.isReestablished == true })
    expect(try stage.ask(.set(name: "a", url: stage.server.url))["error"]?["code"]?.int, is: -32601)
    expect(try ProviderProcess.exitCode(["--listen", "0.0.0.0:0", "--webhooks", "loopback"]), is: 64)
  }

  @Test func `An order notifies a wallet that is away, once in its cooldown`() throws {
    let stage = try Stage()
    func order(_ method: String, timeout: String? = nil) throws -> ControlMessage {
      var message = ControlMessage("notify", ["method": "lsps5.\(method)"])
      message["timeout"] = timeout
      return try stage.provider.client().request(message)
    }
    #expect(throws: ControlClientError.self) { try order("onion_message_incoming") }
    try stage.connect()
    try stage.set()
    _ = try stage.posts(1)
    #expect(throws: ControlClientError.self) { try order("onion_message_incoming") }
    try stage.leave()
    for method in ["payment_incoming", "webhook_registered", "x", "expiry_soon"] {
      #expect(throws: ControlClientError.self) { try order(method) }
    }
    expect(try order("onion_message_incoming")["calls"], is: "1")
    expect(try order("onion_message_incoming")["calls"], is: "0")
    expect(try order("liquidity_management_request")["calls"], is: "1")
    expect(try order("expiry_soon", timeout: "800144")["calls"], is: "1")
    let posts = try stage.posts(4)
    expect(
      Set(posts.dropFirst().map(\.body)),
      is: [
        WebhookNotification.onionMessageIncoming.body, WebhookNotification.liquidityManagementRequest.body,
        WebhookNotification.expirySoon(timeout: 800_144).body,
      ])
  }

  @Test func `An LSP for the public network does not call an address of its own`() throws {
    let stage = try Stage(["--webhooks", "public"])
    try stage.connect()
    let here = stage.server.url.replacing("http:", with: "https:")
    for (name, url) in [("a", here), ("b", here.replacing("127.0.0.1", with: "localhost"))] {
      #expect(try stage.ask(.set(name: name, url: url))["result"] != nil)
    }
    expect(try stage.ask(.set(name: "c", url: stage.server.url))["error"]?["code"]?.int, is: 502)
    try stage.outcomes(["forbidden-address", "forbidden-address"])
    expect(stage.server.posts, is: [])
  }

  @Test func `Addresses of this machine, of private networks and of many receivers are no public ones`() {
    let forbidden: [[UInt8]] = [
      [127, 0, 0, 1], [127, 9, 9, 9], [0, 0, 0, 0], [10, 1, 2, 3], [172, 16, 0, 1], [172, 31, 255, 255],
      [192, 168, 1, 1], [169, 254, 169, 254], [100, 64, 0, 1], [100, 127, 0, 1], [198, 18, 0, 1],
      [224, 0, 0, 1],
      [255, 255, 255, 255], [192, 0, 2, 1], [203, 0, 113, 9],
    ]
    let permitted: [[UInt8]] = [
      [1, 1, 1, 1], [172, 15, 0, 1], [172, 32, 0, 1], [100, 63, 0, 1], [100, 128, 0, 1], [193, 168, 1, 1],
      [192, 0, 1, 1], [223, 255, 255, 255],
    ]
    let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xff, 0xff]
    let translated: [UInt8] = [0, 0x64, 0xff, 0x9b] + [UInt8](repeating: 0, count: 8)
    for address in forbidden {
      for bytes in [address, mapped + address, translated + address] {
        #expect(!AddressReach.publicOnly.takes(bytes, except: []), "\(bytes)")
      }
    }
    for address in permitted {
      for bytes in [address, mapped + address, translated + address] {
        #expect(
          AddressReach.publicOnly.takes(bytes, except: []) && !AddressReach.loopback.takes(bytes, except: []),
          "\(bytes)")
      }
    }
    let ending: [UInt8] = [UInt8](repeating: 0, count: 13) + [1]
    for (first, second) in [(0, 0), (0xfe, 0x80), (0xfc, 0), (0xfd, 9), (0xff, 2), (0x20, 2), (0x40, 0)] {
      #expect(!AddressReach.publicOnly.takes([UInt8(first), UInt8(second)] + ending, except: []))
    }
    #expect(AddressReach.publicOnly.takes([0x26, 0x06] + ending, except: []))
    #expect(
      AddressReach.loopback.takes([0, 0] + ending, except: [])
        && AddressReach.loopback.takes([127, 0, 0, 1], except: []))
    #expect(!AddressReach.loopback.takes([0x26, 0x06] + ending, except: []))
    for address in permitted {
      for bytes in [address, mapped + address, translated + address] {
        #expect(!AddressReach.publicOnly.takes(bytes, except: [[9, 9, 9, 9], address]))
        #expect(!AddressReach.publicOnly.takes(bytes, except: nil))
      }
    }
    #expect(AddressReach.loopback.takes([127, 0, 0, 1], except: nil))
    expect(OwnAddresses.all()?.contains([127, 0, 0, 1]), is: true)
    for count in [0, 3, 5, 15, 17] {
      let bytes = [UInt8](repeating: 1, count: count)
      #expect(
        !AddressReach.publicOnly.takes(bytes, except: []) && !AddressReach.loopback.takes(bytes, except: []))
    }
  }
}

extension WebhookNotification {
  static let liquidityManagementRequest = WebhookNotification(.liquidityManagementRequest)!
  static let onionMessageIncoming = WebhookNotification(.onionMessageIncoming)!
  static func expirySoon(timeout: UInt32) -> WebhookNotification {
    WebhookNotification(.expirySoon, timeout: timeout)!
  }
}
