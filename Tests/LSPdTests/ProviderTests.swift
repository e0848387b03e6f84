import LightningIO
import LightningProvider

@testable import LSPd

@Suite(.serialized) struct ProviderTests {
  @Test(.shows("B-1.8.4"))
  func `A payment to an offline wallet requests a push, and is received when the wallet connects`()
    throws
  {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let phone = try PushedPhone(provider)
    let sender = try provider.pay(1)
    #expect(try loop.run(for: .seconds(60)) { !phone.pushes.isEmpty })
    expect(phone.pushes.first?.verb, is: "push")
    expect(phone.pushes.first?.bodyText.contains("\"reason\":\"IncomingPayment\""), is: true)
    expect(phone.pushes.first?.bodyText.contains(paymentHash(1).hex), is: true)

    let wallet = ScriptedWallet(loop: loop)
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try loop.run(for: .seconds(60)) { wallet.channel?.localMsat == 1_000_001_000 })
    let answer = try sender.receive()
    expect(answer["state"], is: "settled")
    expect(answer["preimage"], is: preimage(1).hex)

    expect(try provider.ledger("SELECT state FROM payments"), is: ["paid"])
    expect(try provider.ledger("SELECT verdict FROM connections"), is: ["accepted"])
    expect(try provider.ledger("SELECT outcome FROM pushes"), is: ["delivered"])
    expect(try provider.ledger("SELECT count(*) FROM frames WHERE direction = 'in' AND acted = 0"), is: [0])
    let firstIn = try provider.ledger("SELECT bytes FROM frames WHERE direction = 'in' ORDER BY id LIMIT 1")
    // lspd sends its init without waiting.
    expect(try provider.ledger("SELECT direction FROM frames ORDER BY id LIMIT 1"), is: ["out"])
    expect(firstIn, is: [.blob(Message.initMessage(InitMessage(fence: fence(1))).encoded())])
    expect(try provider.goDown()?.how, is: .exited(code: 0))
  }

  @Test func `If lspd is killed at any message of a payment and restarted, the payment is completed`() throws
  {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = ScriptedWallet(loop: loop)
    let address = try #require(provider.address)
    try wallet.connect(to: address, fence(1))
    #expect(try loop.run(for: .seconds(60)) { wallet.channel?.isReestablished == true })

    for number in UInt64(1)...14 {
      // A payment has six messages; with the seventh lspd is killed after the payment.
      let count = Int(number + 1) / 2
      wallet.stopsBeforeAnswering = number.isMultiple(of: 2)
      var isKilled = false
      wallet.stopsAfter = wallet.received.count + count
      wallet.onStop = {
        provider.kill()
        isKilled = true
      }
      _ = try provider.pay(number)
      let isOver = {
        isKilled
          || wallet.channel?.htlcs.isEmpty == true
            && wallet.channel?.localMsat == 1_000_000_000 + 1000 * number
      }
      #expect(try loop.run(for: .seconds(60), until: isOver))
      provider.kill()
      wallet.stopsAfter = nil
      try provider.start()
      expect(provider.address, is: address)
      let sender = try provider.client()
      try sender.send(ControlMessage("await", ["payment-hash": paymentHash(number).hex]))
      try wallet.connect(to: address, fence(1))
      let isSettled = { wallet.channel?.localMsat == 1_000_000_000 + 1000 * number }
      #expect(try loop.run(for: .seconds(60), until: isSettled), "killed after message \(count)")
      expect(try sender.receive()["preimage"], is: preimage(number).hex)
    }
    expect(try provider.ledger("SELECT count(*) FROM payments WHERE state = 'paid'"), is: [14])
    let paid = try provider.pay(3).receive()
    expect(paid["state"], is: "failed")
    expect(paid["reason"], is: "already-paid")
    let isEqual = try provider.eventually {
      let status = try provider.client().request(ControlMessage("status")).bodyText
      return status.contains("\"wallet_msat\":1000014000") && status.contains("\"htlcs\":0")
    }
    #expect(isEqual)
  }

  @Test func `Unknown nodes above the limit per minute leave no row in ledger or journal`() throws {
    let key = try #require(PrivateKey(SHA256.hash(Array("a wallet".utf8))))
    let provider = try ProviderProcess(["--wallet", key.publicKey.hex])
    let address = try #require(provider.address)
    let unknownNodes = (0..<250).map { _ in
      ScriptedWallet(loop: provider.loop, key: PrivateKey(SHA256.hash([77])))
    }
    for node in unknownNodes { try node.connect(to: address, nil) }
    #expect(
      try provider.loop.run(for: .seconds(120)) {
        unknownNodes.allSatisfy { $0.isClosed || !$0.received.isEmpty }
      })
    let turnedAway = unknownNodes.count { $0.received.isEmpty }
    #expect(turnedAway > 0)
    _ = try provider.connectedWallet(epoch: 1)
    let rows = 250 - turnedAway + 1
    expect(try provider.ledger("SELECT count(*) FROM connections"), is: [.integer(Int64(rows))])
    expect(try provider.goDown()?.how, is: .exited(code: 0))
    let journal = try #require(DirectoryListing.names(of: "\(provider.home)/journal")?.first)
    let text = String(
      decoding: try #require(SmallFile.read("\(provider.home)/journal/\(journal)", limit: 16 << 20)),
      as: UTF8.self)
    expect(text.split(separator: "\"event\":{\"connected\"").count - 1, is: rows)
  }

  @Test func `With --wallet-file lspd accepts no wallet before the file names it`() throws {
    let file = "/tmp/baton-wallet-node-\(getpid())"
    defer { unlink(file) }
    let provider = try ProviderProcess(["--wallet-file", file])
    let loop = provider.loop
    let address = try #require(provider.address)
    let other = ScriptedWallet(loop: loop, key: PrivateKey(SHA256.hash([77])))
    try other.connect(to: address, fence(9))
    other.send(.ping(Ping(pongSize: 1)))
    #expect(try provider.eventually { try provider.ledger("SELECT verdict FROM connections") == ["visitor"] })
    // The node id of an earlier seed, valid only for that node and until the file names another.
    try NodeIDFile.write(try #require(PrivateKey(SHA256.hash([78]))).publicKey, to: file)
    try other.connect(to: address, fence(9))
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM connections WHERE verdict = 'visitor'") == [2]
      })
    let key = try #require(PrivateKey(SHA256.hash(Array("a wallet".utf8))))
    try NodeIDFile.write(key.publicKey, to: file)
    expect(NodeIDFile.read(file), is: key.publicKey)
    _ = try provider.connectedWallet(epoch: 1)
    expect(try provider.ledger("SELECT epoch FROM fence"), is: [1])
    // From here on the wallet is fixed, whatever the file has.
    try NodeIDFile.write(try #require(PrivateKey(SHA256.hash([77]))).publicKey, to: file)
    try other.connect(to: address, fence(9))
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM connections WHERE verdict = 'visitor'") == [3]
      })
  }

  @Test func `Ledger and journal keep only the beginning of long ignored messages`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = try provider.connectedWallet(epoch: 1)
    let ballast = Bytes(repeating: 7, count: 60_000)
    for type in [40_001, 256] as [UInt16] { wallet.send(.unknown(type: type, bytes: ballast)) }
    wallet.send(.ping(Ping(pongSize: 1, ignored: ballast)))
    #expect(try loop.run(for: .seconds(60)) { wallet.received.last == .pong([0]) })
    let longest = try provider.ledger("SELECT max(length(bytes)) < 600 FROM frames WHERE direction = 'in'")
    expect(longest, is: [1])
    expect(try provider.goDown()?.how, is: .exited(code: 0))
    let journal = try #require(DirectoryListing.names(of: "\(provider.home)/journal")?.first)
    let bytes = try #require(SmallFile.read("\(provider.home)/journal/\(journal)", limit: 1 << 20))
    #expect(bytes.split(separator: 10).allSatisfy { $0.count < 10_000 })
  }

  @Test func `Unread messages of a replaced connection are discarded`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let address = try #require(provider.address)
    let older = try provider.connectedWallet(epoch: 1)
    let newer = ScriptedWallet(loop: loop)
    // Once continued, lspd finds both at once: more messages of the older owner than one read takes, and the newer
    // init.
    provider.signal(SIGSTOP)
    let sent = 60
    for _ in 0..<sent { older.send(.peerStorage(Blob([UInt8](repeating: 7, count: 60_000)))) }
    try newer.connect(to: address, fence(2))
    for _ in 0..<20 { try loop.turn(waitingMilliseconds: 5) }
    provider.signal(SIGCONT)
    #expect(try loop.run(for: .seconds(60)) { older.isClosed && newer.channel?.isReestablished == true })
    let late = try provider.ledger(
      """
      SELECT count(*) FROM frames WHERE connection = 1 AND direction = 'in'
        AND id > (SELECT min(id) FROM frames WHERE connection = 2 AND direction = 'in')
      """)
    // Counted from the newer owner's init; lspd's own init precedes it.
    expect(late, is: [0])
    let read = try provider.ledger("SELECT count(*) FROM backups")
    guard case .integer(let count)? = read.first else { return #expect(Bool(false)) }
    #expect(count < sent)
  }

  @Test func `An undecodable message ends its connection with a warning, and lspd continues`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = try provider.connectedWallet(epoch: 1)
    wallet.send(raw: [0, 132, 1, 2, 3])
    #expect(try loop.run(for: .seconds(60)) { wallet.isClosed })
    expect(wallet.received.last?.type, is: 1)
    expect(try provider.ledger("SELECT bytes FROM frames WHERE acted = 0"), is: [.blob([0, 132, 1, 2, 3])])
    expect(try provider.client().request(ControlMessage("status")).verb, is: "status")
  }

  @Test func `Of 300 payments lspd lists the newest 256`() throws {
    let provider = try ProviderProcess()
    // Without a wallet and with a hold of 0 s each payment fails at once.
    for number in UInt64(1)...300 {
      let sender = try provider.pay(number, hold: 0)
      expect(try sender.receive()["state"], is: "failed")
    }
    let list = try provider.client().request(ControlMessage("payments")).bodyText
    expect(list.matches(of: #/"payment_hash":/#).count, is: 256)
    #expect(!list.contains(paymentHash(44).hex))
    #expect(list.contains(paymentHash(45).hex))
    #expect(list.contains(paymentHash(300).hex))
  }
}

/// Replays a run's journal on a fresh core: the code around the core must add nothing.
struct ProviderReplayTests {
  private struct Head: Decodable { var kind: String }

  private struct Beginning: Decodable { var configuration: PeerMachine.Configuration }

  private struct Step: Decodable {
    var t: Instant
    var event: PeerEvent
  }

  @Test func `A replay of lspd's journal gives the same directives, byte for byte`() throws {
    let provider = try ProviderProcess()
    let loop = provider.loop
    let wallet = ScriptedWallet(loop: loop)
    _ = try provider.pay(1)
    _ = try provider.pay(2, hold: 1, waiting: false).receive()
    let sender = try provider.pay(3, waiting: false)
    expect(try sender.receive()["state"], is: "held")
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(try loop.run(for: .seconds(60)) { wallet.channel?.localMsat == 1_000_003_000 })
    wallet.send(.peerStorage([1, 2, 3]))
    wallet.send(.unknown(type: 40_001, bytes: [1]))
    wallet.send(raw: [0, 132])
    #expect(try loop.run(for: .seconds(60)) { wallet.isClosed })
    expect(try provider.goDown()?.how, is: .exited(code: 0))
    let log = try? FileManager.default.attributesOfItem(atPath: "\(provider.home)/lsp/ledger.sqlite-wal")
    #expect((log?[.size] as? Int ?? 0) == 0, "the ledger's log is in its file")

    let directory = "\(provider.home)/journal"
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: directory).first)
    let lines = try String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8).split(separator: "\n")
    var core: PeerMachine?
    var steps = 0
    let decoder = JSONDecoder()
    for line in lines.map({ Data($0.utf8) }) {
      switch try decoder.decode(Head.self, from: line).kind {
      case "core":
        core = PeerMachine(configuration: try decoder.decode(Beginning.self, from: line).configuration)
      case "event":
        let step = try decoder.decode(Step.self, from: line)
        let handled = core?.handle(step.event, at: step.t)
        let directives = try #require(handled)
        let text = try JSONLineEncoder().encode(directives)
        #expect(String(decoding: line, as: UTF8.self).contains("\"directives\":\(text)"))
        steps += 1
      default: break
      }
    }
    #expect(steps > 15)
  }
}
