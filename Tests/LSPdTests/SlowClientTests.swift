/// Clients that take lspd's connections and send no request.
@Suite("Slow clients of lspd's HTTP", .serialized, .waits) struct SlowClientTests {
  private static let wallet = PrivateKey(SHA256.hash(Array("a wallet".utf8)))!.publicKey.hex

  private static let count = 10_000

  /// Whether the test may have so many descriptors.
  private static func mayOpenThem() -> Bool {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_max >= rlim_t(count + 500) else { return false }
    limit.rlim_cur = limit.rlim_max
    return setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
  }

  @Test(.enabled(if: mayOpenThem(), "needs 10,500 descriptors: ulimit -Hn"))
  func `Beside 10,000 clients that never finish their request a wallet is paid and a sender is answered`()
    throws
  {
    let provider = try ProviderProcess()
    // The usual limit, whatever this machine has.
    try provider.limitDescriptors(to: 1024)
    let port = try #require(provider.port)
    var clients: [RawHTTP] = []
    for number in 0..<Self.count {
      let client = try RawHTTP(port: port)
      client.send(Array((number % 2 == 0 ? "GET /lsp/forwarding_hint?recipient=" : "").utf8))
      clients.append(client)
    }
    let wallet = try provider.connectedWallet(epoch: 1)
    let sender = try provider.pay(1)
    #expect(try provider.eventually { wallet.channel?.localMsat == 1_000_001_000 })
    expect(try sender.receive()["state"], is: "settled")
    expect(try provider.hint(Self.wallet, 5000).status, is: 200)
    #expect(try #require(provider.descriptorCount) < 300)

    // The first ones made room, the last ones have their time.
    let crowded = clients[0].answer()
    expect(crowded.status, is: 503)
    #expect(JSONValue(parsing: Array(crowded.body.utf8))?["error"]?.text != nil)
    let late = try #require(clients.last).answer()
    expect(late.status, is: 408)
    #expect(JSONValue(parsing: Array(late.body.utf8))?["error"]?.text != nil)
    let facts = try #require(JSONValue(parsing: try provider.client().request(ControlMessage("status")).body))
    #expect((facts["http_turned_away"]?.int ?? 0) > Self.count - 100)
    expect(try provider.hint(Self.wallet, 5000).status, is: 200)
    clients = []
  }

  @Test func `A client that sends its request byte by byte in time is answered`() throws {
    let provider = try ProviderProcess()
    let client = try RawHTTP(port: try #require(provider.port))
    let request =
      "GET /lsp/forwarding_hint?recipient=\(Self.wallet)&amount_msat=1 HTTP/1.1\r\nHost: localhost:\(provider.port ?? 0)\r\n\r\n"
    for byte in request.utf8 { #expect(client.send([byte])) }
    expect(client.answer().status, is: 200)
  }

  @Test func `A client that does not read its answer, or hangs up at once, keeps no descriptor of lspd's`()
    throws
  {
    let provider = try ProviderProcess()
    let port = try #require(provider.port)
    // Without the token most would be refused as too many in a second.
    let request = Array(
      "GET / HTTP/1.1\r\nHost: localhost:\(port)\r\nAuthorization: Bearer \(provider.token)\r\n\r\n".utf8)
    for _ in 0..<200 {
      let client = try RawHTTP(port: port)
      client.send(request)
    }
    var unread: [RawHTTP] = []
    for _ in 0..<200 {
      let client = try RawHTTP(port: port)
      client.send(request)
      unread.append(client)
    }
    expect(try provider.hint(Self.wallet, 5000).status, is: 200)
    #expect(try provider.eventually { (provider.descriptorCount ?? .max) < 50 })
    #expect(unread.allSatisfy { $0.answer().status == 404 })
  }
}
