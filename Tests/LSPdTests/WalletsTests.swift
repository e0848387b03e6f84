@testable import LSPd

/// Two phones' wallets at one lspd, each with a channel, a fence and rows of its own.
@Suite("Two wallets of one lspd", .serialized) struct WalletsTests {
  private let keys = (1...3).compactMap { PrivateKey(SHA256.hash([UInt8($0)])) }

  private func provider() throws -> ProviderProcess { try ProviderProcess(others: [keys[1].publicKey]) }

  private func claim(of wallet: Int, _ epoch: UInt64 = 1) -> Claim {
    Claim(epoch: epoch, incarnation: 1, container: ContainerID(high: UInt64(wallet), low: 7))
  }

  /// The wallets, each connected, in this order.
  private func connected(_ count: Int, to provider: ProviderProcess) throws -> [ScriptedWallet] {
    try (0..<count).map { number in
      let wallet = ScriptedWallet(loop: provider.loop, key: keys[number])
      try connect(wallet, number, to: provider)
      return wallet
    }
  }

  private func connect(
    _ wallet: ScriptedWallet, _ number: Int, _ epoch: UInt64 = 1, to provider: ProviderProcess
  ) throws {
    try wallet.connect(to: try #require(provider.address), claim(of: number, epoch))
    #expect(try provider.loop.run(for: .seconds(60)) { wallet.channel?.isReestablished == true })
  }

  private func status(_ provider: ProviderProcess, of wallet: Int? = nil) throws -> String {
    var question = ControlMessage("status")
    question["wallet"] = wallet.map { keys[$0].publicKey.hex }
    return try provider.client().request(question).bodyText
  }

  private func isPaid(_ number: UInt64, wallet: Int, _ provider: ProviderProcess) throws -> Bool {
    try provider.eventually {
      try provider.ledger(
        """
        SELECT count(*) FROM payments WHERE wallet = \(wallet) AND state = 'paid'
        AND payment_hash = x'\(paymentHash(number).hex)'
        """) == [1]
    }
  }

  /// The final answer to a payment, during which the wallets go on.
  private func pay(
    _ number: UInt64, msat: UInt64 = 1000, to node: PublicKey? = nil, _ provider: ProviderProcess
  ) throws -> String? {
    let sender = try provider.pay(number, msat: msat, to: node)
    let wallet = node.flatMap { node in keys.firstIndex { $0.publicKey == node } } ?? 0
    #expect(try isPaid(number, wallet: wallet + 1, provider))
    return try sender.receive()["state"]
  }

  private func hashes(_ provider: ProviderProcess, wallet: Int) throws -> [SQLValue] {
    try provider.ledger("SELECT payment_hash FROM payments WHERE wallet = \(wallet) ORDER BY id")
  }

  @Test func `Each wallet has its own channel and fence, and gets the payments to its node alone`() throws {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    let channels = wallets.compactMap { $0.channel?.id }
    expect(Set(channels).count, is: 2)
    expect(try pay(1, msat: 1000, to: keys[0].publicKey, provider), is: "settled")
    expect(try pay(2, msat: 2000, to: keys[1].publicKey, provider), is: "settled")
    // Without a payee: the first wallet.
    expect(try pay(3, msat: 4000, provider), is: "settled")
    #expect(
      try provider.eventually {
        wallets.map { $0.channel?.localMsat } == [1_000_005_000, 1_000_002_000]
      })
    expect(try hashes(provider, wallet: 1), is: [.blob(paymentHash(1).bytes), .blob(paymentHash(3).bytes)])
    expect(try hashes(provider, wallet: 2), is: [.blob(paymentHash(2).bytes)])
    expect(
      try provider.ledger("SELECT node FROM wallets ORDER BY id"),
      is: keys.prefix(2).map { .blob($0.publicKey.bytes) })
    expect(try provider.ledger("SELECT wallet FROM fence ORDER BY id"), is: [1, 2])
    expect(
      try provider.ledger(
        "SELECT count(*) FROM frames f JOIN connections c ON c.id = f.connection WHERE c.wallet <> f.wallet"),
      is: [0])
    let text = try status(provider)
    #expect(text.contains("\"wallets\":2") && text.contains("\"wallets_connected\":2"))
    #expect(try status(provider, of: 1).contains("\"wallet_msat\":1000002000"))
    let listed = try provider.client().request(ControlMessage("payments", ["wallet": keys[1].publicKey.hex]))
      .bodyText
    #expect(listed.contains(paymentHash(2).hex) && !listed.contains(paymentHash(1).hex))
  }

  @Test func `A wallet is fenced by its own epochs, and gets back its own backup, also after a kill of lspd`()
    throws
  {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    for (number, wallet) in wallets.enumerated() { wallet.send(.peerStorage([UInt8(number + 1)])) }
    #expect(try provider.eventually { try provider.ledger("SELECT count(*) FROM backups") == [2] })
    // The first wallet goes on to epoch 5, which is no matter of the second.
    try connect(wallets[0], 0, 5, to: provider)
    #expect(try status(provider, of: 0).contains("\"epoch\":5"))
    #expect(try status(provider, of: 1).contains("\"epoch\":1"))
    provider.kill()
    try provider.start()
    try connect(wallets[1], 1, 2, to: provider)
    #expect(wallets[1].received.contains(.peerStorageRetrieval([2])))
    #expect(!wallets[1].received.contains(.peerStorageRetrieval([1])))
    let old = ScriptedWallet(loop: provider.loop, key: keys[0])
    try old.connect(to: try #require(provider.address), claim(of: 0, 4))
    #expect(try provider.loop.run(for: .seconds(60)) { old.isClosed })
    expect(old.fenceAnswer?.accepted, is: false)
    expect(old.fenceAnswer?.highest, is: 5)
    #expect(try status(provider, of: 1).contains("\"wallet_connected\":true"))
  }

  @Test func `A payment of one hash to two wallets is paid by each for itself`() throws {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    for key in keys.prefix(2) { expect(try pay(1, to: key.publicKey, provider), is: "settled") }
    // The sender has the preimage before the last messages about the HTLC.
    #expect(
      try provider.eventually { wallets.allSatisfy { $0.channel?.localMsat == 1_000_001_000 } })
    expect(try provider.pay(1, to: keys[1].publicKey).receive()["reason"], is: "already-paid")
  }

  @Test func `A node that is no wallet, with a claim or without one, gets no channel`() throws {
    let provider = try provider()
    _ = try connected(1, to: provider)
    for claim in [nil, claim(of: 2)] {
      let visitor = ScriptedWallet(loop: provider.loop, key: keys[2])
      try visitor.connect(to: try #require(provider.address), claim)
      #expect(try provider.loop.run(for: .seconds(60)) { visitor.received.count == 1 })
      visitor.send(.ping(Ping(pongSize: 3)))
      #expect(try provider.loop.run(for: .seconds(60)) { visitor.received.count == 2 })
      #expect(visitor.channel == nil)
    }
    expect(try provider.ledger("SELECT count(*) FROM wallets"), is: [2])
    expect(
      try provider.ledger("SELECT verdict FROM connections ORDER BY id"),
      is: [
        "accepted", "visitor", "visitor",
      ])
  }

  @Test func `A payment to the second wallet, which is away, is pushed to its phone alone`() throws {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    wallets[1].hangUp()
    #expect(try provider.eventually { try status(provider, of: 1).contains("\"wallet_connected\":false") })
    let phone = try PushedPhone(provider, home: "\(provider.home)/phone-2")
    let sender = try provider.pay(2, to: keys[1].publicKey)
    #expect(try provider.loop.run(for: .seconds(60)) { !phone.pushes.isEmpty })
    expect(phone.pushes.first?.bodyText.contains(paymentHash(2).hex), is: true)
    try connect(wallets[1], 1, to: provider)
    #expect(try isPaid(2, wallet: 2, provider))
    expect(try sender.receive()["state"], is: "settled")
  }

  @Test func `An order of failures fails the payments of its wallet alone, also after a kill of lspd`() throws
  {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    wallets.forEach { $0.hangUp() }
    let order = ControlMessage(
      "fail-next", ["code": "fee_insufficient", "times": "2", "wallet": keys[1].publicKey.hex])
    expect(try provider.client().request(order).verb, is: "ok")
    // Wallet 1's orders, the newer ones, are no matter of wallet 2.
    _ = try provider.client().request(ControlMessage("fail-next", ["code": "temporary_node_failure"]))
    func reason(_ number: UInt64, _ wallet: Int) throws -> String? {
      let answer = try provider.pay(number, waiting: false, to: keys[wallet].publicKey).receive()
      return answer["code"] ?? answer["state"]
    }
    expect(try reason(1, 1), is: "0x100c")
    provider.kill()
    try provider.start()
    expect(try reason(2, 0), is: "0x2002")
    expect(try reason(3, 0), is: "held")
    #expect(try status(provider, of: 1).contains("\"fails_next\":1"))
    expect(try reason(4, 1), is: "0x100c")
    expect(try reason(5, 1), is: "held")
    expect(
      try provider.ledger(
        "SELECT wallet || ' ' || code || ' ' || left FROM ordered_failures ORDER BY wallet"),
      is: ["1 8194 0", "2 4108 0"])
  }

  @Test func `A sender's hint reflects the payee's wallet`() throws {
    let provider = try provider()
    let wallets = try connected(2, to: provider)
    func hint(_ key: Int, _ amountMsat: UInt64 = 5000) throws -> String {
      try provider.hint(keys[key].publicKey.hex, amountMsat).body
    }
    let now = #"{"hint":"retry_now","reason":"unknown","recommended_delay_ms":1000}"#
    let away = #"{"hint":"retry_later","reason":"disconnected","recommended_delay_ms":5000}"#
    expect(try [hint(0), hint(1)], is: [now, now])
    wallets[1].hangUp()
    #expect(try provider.eventually { try status(provider, of: 1).contains("\"wallet_connected\":false") })
    expect(try [hint(0), hint(1)], is: [now, away])
    expect(try hint(1, 9_000_000_001), is: #"{"hint":"do_not_retry","reason":"insufficient_liquidity"}"#)
    expect(try hint(2), is: #"{"hint":"do_not_retry","reason":"unknown"}"#)
  }

  @Test func `An external invoice for one wallet cannot be seen by another`() throws {
    let provider = try provider()
    _ = try connected(2, to: provider)
    _ = try provider.client().request(
      ControlMessage("external-invoice", ["amount-msat": "1000", "wallet": keys[1].publicKey.hex]))
    expect(try provider.ledger("SELECT wallet FROM external_invoices"), is: [2])
  }

  @Test func `Options of lspd that contradict each other are refused`() throws {
    for arguments in [
      ["--phone", "/nowhere", "--legacy"], ["--webhooks", "loopback", "--listen", "0.0.0.0:0"],
    ] {
      expect(try ProviderProcess.exitCode(arguments), is: 64)
    }
  }
}
