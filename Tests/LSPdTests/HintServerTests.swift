import PhonePolicy

/// `GET /lsp/forwarding_hint` of a real lspd.
@Suite("lspd's forwarding hints over HTTP", .serialized, .waits) struct HintServerTests {
  private static let wallet = PrivateKey(SHA256.hash(Array("a wallet".utf8)))!.publicKey.hex
  private static let stranger = PrivateKey(SHA256.hash(Array("a stranger".utf8)))!.publicKey.hex

  private func hint(
    _ provider: ProviderProcess, _ amountMsat: UInt64 = 5000, to recipient: String = HintServerTests.wallet
  ) throws -> ForwardingHint {
    let answer = try provider.hint(recipient, amountMsat)
    expect(answer.status, is: 200, "\(answer)")
    #expect(answer.head.contains("Content-Type: application/json"))
    return try ForwardingHint(parsing: Array(answer.body.utf8))
  }

  private func log(_ provider: ProviderProcess) throws -> [AccessRow] {
    AccessRow.rows(in: try #require(try SmallFile.readOwn("\(provider.home)/lsp/access.jsonl")))
  }

  @Test(
    .shows(
      "B-1.7.2.1", "B-1.7.2.2a", "B-1.7.2.2b", "B-1.7.2.2c", "B-1.7.2.3a", "B-1.7.2.3b", "B-1.7.2.3c",
      "B-1.7.2.3d", "B-1.7.2.4"))
  func `lspd answers each state of the wallet with its hint, and has each request in its access log`()
    throws
  {
    let provider = try ProviderProcess()
    expect(try hint(provider), is: ForwardingHint(.doNotRetry, .unknown))
    let wallet = try provider.connectedWallet(epoch: 1)
    let now = ForwardingHint(.retryNow, .unknown, recommendedDelayMs: 1000)
    expect(try hint(provider), is: now)
    expect(try hint(provider, to: Self.stranger), is: ForwardingHint(.doNotRetry, .unknown))
    expect(try hint(provider, 9_000_000_001), is: ForwardingHint(.doNotRetry, .insufficientLiquidity))

    wallet.hangUp()
    #expect(try provider.eventually { wallet.isClosed })
    expect(try provider.pay(1, waiting: false).receive()["state"], is: "held")
    let away = try hint(provider)
    #expect(away.hint == .retryLater && away.reason == .disconnected)
    #expect((1000...5000).contains(try #require(away.recommendedDelayMs)))

    provider.kill()
    try provider.change(
      "INSERT INTO channel_failures(wallet, at_ns, connection, reason) VALUES (1, 1, 1, 'you cheated')")
    try provider.start()
    expect(try hint(provider), is: ForwardingHint(.doNotRetry, .recipientChannelDisabled))

    let rows = try log(provider)
    expect(
      rows.map { "\($0.status) \($0.hint ?? "") \($0.reason ?? "")" },
      is: [
        "200 do_not_retry unknown", "200 retry_now unknown", "200 do_not_retry unknown",
        "200 do_not_retry insufficient_liquidity", "200 retry_later disconnected",
        "200 do_not_retry recipient_channel_disabled",
      ])
    #expect(rows[1].recommendedDelayMs == 1000 && rows[0].recommendedDelayMs == nil)
    expect(rows[1].target, is: "/lsp/forwarding_hint?recipient=\(Self.wallet)&amount_msat=5000")
    #expect(rows[1].method == "GET" && rows[1].atNs > rows[0].atNs && rows[0].atWallNs > 0)
  }

  @Test(.shows("B-1.7.2.3c"))
  func `A channel that is failed on order is disabled to senders, also after a kill of lspd`()
    throws
  {
    let provider = try ProviderProcess()
    let wallet = try provider.connectedWallet(epoch: 1)
    expect(try provider.client().request(ControlMessage("fail-channel")).verb, is: "ok")
    #expect(try provider.eventually { wallet.isClosed })
    let disabled = ForwardingHint(.doNotRetry, .recipientChannelDisabled)
    expect(try hint(provider), is: disabled)
    provider.kill()
    try provider.start()
    expect(try hint(provider), is: disabled)
    let again = try provider.client()
    try again.send(ControlMessage("fail-channel"))
    expect(try again.receive().errorSentence?.hasPrefix("the channel has failed already"), is: true)
    expect(
      try provider.ledger("SELECT connection || ' ' || reason FROM channel_failures"),
      is: ["1 closed by the provider"])
    expect(try provider.pay(1, waiting: false).receive()["reason"], is: "channel-failed")
  }

  @Test(.shows("B-1.7.2.5"))
  func `Each bad request gets its status and one sentence as JSON, and lspd goes on`() throws {
    let provider = try ProviderProcess()
    let wallet = try provider.connectedWallet(epoch: 1)
    defer { wallet.hangUp() }
    let path = "/lsp/forwarding_hint"
    let both = "recipient=\(Self.wallet)&amount_msat=5000"
    let long = String(repeating: "a", count: 65_536)
    let no = "02" + String(repeating: "f", count: 64)
    let bad: [(status: Int, method: String, target: String)] = [
      (400, "GET", path), (400, "GET", "\(path)?amount_msat=1"),
      (400, "GET", "\(path)?recipient=\(Self.wallet)"),
      (400, "GET", "\(path)?\(both)&amount_msat=5000"), (400, "GET", "\(path)?\(both)&\(both)"),
      (400, "GET", "\(path)?recipient=\(no)&amount_msat=1"), (400, "GET", "\(path)?\(both)&more=1"),
      (400, "GET", "\(path)?recipient=\(Self.wallet)&amount_msat=0"),
      (400, "GET", "\(path)?recipient=\(Self.wallet)&amount_msat=-1"),
      (400, "GET", "\(path)?recipient=\(Self.wallet)&amount_msat=18446744073709551616"),
      (400, "GET", "\(path)?recipient=\(Self.wallet)&amount_msat=ten"),
      (414, "GET", "\(path)?\(both)&x=\(long)"), (414, "GET", "/\(long)"),
      (405, "POST", "\(path)?\(both)"), (405, "PUT", path), (405, "DELETE", path),
      (404, "GET", "/"), (404, "GET", "/lsp"), (404, "POST", "/other"),
    ]
    for request in bad {
      let answer = try provider.get(request.target, method: request.method)
      let shown = "\(request.method) \(request.target.prefix(120)): \(answer)"
      expect(answer.status, is: request.status, "\(shown)")
      let error = try #require(JSONValue(parsing: Array(answer.body.utf8))?["error"]?.text, "\(shown)")
      #expect(!error.isEmpty && !error.contains("\n") && !error.contains(Self.wallet), "\(shown)")
      expect(answer.head.contains("Allow: GET"), is: (request.status == 405), "\(shown)")
    }
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1"] {
      let answer = try provider.http("GET \(path)?\(both) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      expect(answer.status, is: 421, "\(host)")
    }
    expect(try provider.http("GET \(path)?\(both) HTTP/1.0\r\n\r\n").status, is: 421)
    let head = "GET \(path)?\(both) HTTP/1.1\r\nHost: 127.0.0.1:\(provider.port ?? 0)\r\n"
    for (status, header) in [
      (400, "Host: evil.example"), (403, "Origin: http://evil.example"), (403, "Sec-Fetch-Site: cross-site"),
    ] {
      expect(try provider.http("\(head)\(header)\r\n\r\n").status, is: status, "\(header)")
    }
    expect(try hint(provider).hint, is: .retryNow)
    let rows = try log(provider)
    expect(rows.map(\.status), is: bad.map(\.status) + [421, 421, 421, 421, 400, 403, 403, 200])
    #expect(rows.allSatisfy { ($0.error == nil) == ($0.status == 200) && $0.target.utf8.count <= 300 })
  }

  private func question(_ port: UInt16?, _ header: String) -> String {
    "GET /lsp/forwarding_hint?recipient=\(Self.wallet)&amount_msat=1 HTTP/1.1\r\nHost: 127.0.0.1:\(port ?? 0)\r\n\(header)\r\n"
  }

  private func asking(_ provider: ProviderProcess, _ header: String) throws -> Int {
    try provider.http(question(provider.port, header)).status
  }

  @Test func `With --hint-token only the token of lsp/http-token opens, and a restart changes it`() throws {
    let provider = try ProviderProcess(["--hint-token"])
    let token = provider.token
    for header in ["", "Authorization: Bearer 0\r\n", "Authorization: Basic \(token)\r\n"] {
      expect(try asking(provider, header), is: 401)
    }
    expect(try asking(provider, "Authorization: Bearer \(token)\r\n"), is: 200)
    expect(try log(provider).map(\.status), is: [401, 401, 401, 200])
    provider.kill()
    try provider.start()
    expect(try asking(provider, "Authorization: Bearer \(token)\r\n"), is: 401)
  }

  @Test func `Questions without the token have a limit per second, and one with it is answered beyond that`()
    throws
  {
    let provider = try ProviderProcess()
    let port = try #require(provider.port)
    // lspd meets all of them in one moment.
    provider.signal(SIGSTOP)
    let clients = try (0..<60).map { _ in try RawHTTP(port: port) }
    for client in clients { client.send(Array(question(port, "").utf8)) }
    provider.signal(SIGCONT)
    let answers = clients.map { $0.answer() }
    let statuses = answers.map(\.status)
    expect(Set(statuses), is: [200, 429])
    #expect(answers.allSatisfy { $0.head.contains("Retry-After: 1") == ($0.status == 429) })
    expect(try asking(provider, "Authorization: Bearer \(provider.token)\r\n"), is: 200)
    let facts = JSONValue(parsing: try provider.client().request(ControlMessage("status")).body)
    expect(facts?["http_turned_away"]?.uint, is: UInt64(statuses.count { $0 == 429 }))
    #expect(try log(provider).allSatisfy { $0.status == 200 }, "a question above the limit has no line")
  }

  @Test func `Requests of a page of another site use up no questions of senders`() throws {
    let provider = try ProviderProcess()
    let port = try #require(provider.port)
    provider.signal(SIGSTOP)
    let clients = try (0..<60).map { _ in try RawHTTP(port: port) }
    for client in clients { client.send(Array(question(port, "Origin: https://example.com\r\n").utf8)) }
    provider.signal(SIGCONT)
    #expect(clients.allSatisfy { $0.answer().status == 403 })
    expect(try asking(provider, ""), is: 200)
    let lines = try log(provider).map(\.status)
    #expect(lines.last == 200 && lines.count < 61, "not each refusal has a line")
  }

  @Test(.enabled(if: getuid() == 0, "needs to mount"))
  func `On a full disk no hint is given that the access log lacks`() throws {
    let provider = try ProviderProcess()
    provider.kill()
    let place = "\(provider.home)/lsp"
    try #require(mount("tmpfs", place, "tmpfs", 0, "size=16m,mode=700") == 0)
    defer {
      provider.kill()
      umount(place)
    }
    try provider.start()
    let filler = open("\(place)/filler", O_WRONLY | O_CREAT, 0o600)
    let page = [UInt8](repeating: 0, count: 4096)
    while write(filler, page, page.count) > 0 {}
    close(filler)
    expect(try provider.hint(Self.wallet, 5000).status, is: 503)
    unlink("\(place)/filler")
    expect(try provider.hint(Self.wallet, 5000).status, is: 200)
    expect(try log(provider).count, is: 1)
  }

  @Test func `Bytes that are no request end their connection alone`() throws {
    let provider = try ProviderProcess()
    let wallet = try provider.connectedWallet(epoch: 1)
    defer { wallet.hangUp() }
    var generator = SystemRandomNumberGenerator()
    var noise = (0..<20).map { _ in (0..<2000).map { _ in UInt8.random(in: 0...255, using: &generator) } }
    noise += [
      Array("\r\n\r\n\r\n\r\n".utf8), Array("GET\r\n\r\n".utf8), Array("GET / HTTP/9.9\r\n\r\n".utf8),
      Array("GET / HTTP/1.1\r\nHost\r\n\r\n".utf8), [UInt8](repeating: 0, count: 4096),
      Array("GET /lsp/forwarding_hint HTTP/1.1\r\nContent-Length: -1\r\n\r\n".utf8),
      Array("GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 100_000))\r\n".utf8),
      Array("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n".utf8),
      // TLS.
      [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03],
    ]
    for bytes in noise {
      let client = try RawHTTP(port: try #require(provider.port))
      client.send(bytes)
      shutdown(client.descriptor, Int32(SHUT_WR))
      let status = client.answer().status
      #expect(status == 0 || (400...505).contains(status), "\(bytes.prefix(60)): \(status)")
    }
    expect(try hint(provider).hint, is: .retryNow)
    #expect(!wallet.isClosed)
  }

  @Test func `lspd answers on 127.0.0.1 alone, and no longer when it has gone down`() throws {
    let provider = try ProviderProcess()
    let port = try #require(provider.port)
    #expect(throws: SystemError.self) { try RawHTTP(port: port, last: 2) }
    let open = try RawHTTP(port: port)
    expect(try provider.goDown()?.how, is: .exited(code: 0))
    expect(open.answer().status, is: 0)
    #expect(throws: SystemError.self) { try RawHTTP(port: port) }
  }

  @Test func `After a kill lspd answers on the same port, and only its user can read the URL`() throws {
    let provider = try ProviderProcess()
    let port = try #require(provider.port)
    var status = stat()
    #expect(stat("\(provider.home)/lsp/http", &status) == 0 && status.st_mode & 0o777 == 0o600)
    let facts = try provider.client().request(ControlMessage("status"))
    expect(JSONValue(parsing: facts.body)?["http"]?.text, is: "http://127.0.0.1:\(port)")
    _ = try hint(provider)
    provider.kill()
    try provider.start()
    expect(provider.port, is: port)
    _ = try hint(provider)
    expect(try log(provider).count, is: 2)
  }
}
