import Crypto
import DaemonRuntime
import Database
import Foundation
import Glibc
import Ground
import LightningInvoices
import LightningWire
import PairSupport
import PostgreSQL
import Testing
import WaitingTests

@testable import LSPd

/// Two lspd on one database, as processes; one is killed or frozen, or the server is.
@Suite(
  "Two lspd on one database of PostgreSQL", .serialized, .waits,
  .enabled(if: TestServer.programs != nil, TestServer.missing))
struct TwoProvidersTests {
  private func second(of phone: TestPhone, _ url: String) throws -> ProviderProcess {
    try ProviderProcess(["--node-key", "\(phone.home)/lsp/node-key"], url: url)
  }

  private func judge(_ phone: TestPhone) throws -> Int32 {
    try phone.run(
      "\(TestPhone.binaries)/baton",
      ["judge", phone.home, "--without", "phone", "--without", "journals", "--require-settled"])
  }

  @Test
  func
    `If an lspd is killed while it holds a payment, the other pushes, serves the wallet, and the judge is content`()
    throws
  {
    let url = try TestServer.shared.get().newDatabase()
    let phone = try TestPhone(peerArguments: ["--ledger", url])
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoices = try phone.invoices(2, app)
    app.kill(SIGKILL)
    try phone.wait("the app's end") { app.hasEnded }
    let other = try second(of: phone, url)
    let place = phone.address
    try phone.pay(invoices[0])
    try phone.wait("the push") { phone.pushes.count == 1 }

    let killed = try #require(phone.peer)
    killed.kill(SIGKILL)
    try phone.wait("lspd's end") { killed.hasEnded }
    try phone.wait("the push of the other lspd") { phone.pushes.count == 2 }
    #expect(try other.ledger("SELECT home FROM servers WHERE ended = 0") == [.text(other.home)])
    #expect(phone.address == place)
    let process = try phone.launchExtension()
    _ = phone.push(process)
    // By the socket of the phone's own directory.
    try phone.waitUntilSettled(invoices[0])
    try phone.pay(invoices[1])
    try phone.waitUntilSettled(invoices[1])
    #expect(try Set(phone.receivedPayments()) == Set(invoices.map(\.paymentHash.hex)))
    #expect(try judge(phone) == 0)
    // Something to find.
    try other.change("UPDATE payments SET amount_msat = amount_msat + 1 WHERE id = 1")
    #expect(try judge(phone) == 2)
  }

  @Test
  func
    `If an lspd is killed amid the payments of a connected wallet, the other completes them, and the judge is content`()
    throws
  {
    let url = try TestServer.shared.get().newDatabase()
    let phone = try TestPhone(peerArguments: ["--ledger", url])
    defer { phone.end() }
    let app = try phone.launchApp()
    let invoices = try phone.invoices(5, app)
    let other = try second(of: phone, url)
    phone.open(app)
    try phone.wait("the app to be connected") { app.status.hasPrefix("connected") }
    for invoice in invoices { try phone.pay(invoice) }
    let killed = try #require(phone.peer)
    killed.kill(SIGKILL)
    try phone.wait("lspd's end") { killed.hasEnded }
    // Its socket answers again, and its address is dialled again by the running app.
    try phone.wait("the other lspd") { (try? phone.askPeer(ControlMessage("status"))) != nil }
    for invoice in invoices { try phone.waitUntilSettled(invoice) }
    #expect(try Set(phone.receivedPayments()) == Set(invoices.map(\.paymentHash.hex)))
    #expect(try judge(phone) == 0)
    #expect(try other.goDown()?.how == .exited(code: 0))
  }

  // MARK: Scripted wallets

  private let key = PrivateKey(SHA256.hash([1]))!

  private func pair() throws -> [ProviderProcess] {
    let url = try TestServer.shared.get().newDatabase()
    let options = ["--wallets", "--keep-wallets", "0s"]
    let first = try ProviderProcess(options, url: url)
    return [first, try ProviderProcess(options + ["--node-key", "\(first.home)/lsp/node-key"], url: url)]
  }

  private func connected(_ wallet: ScriptedWallet, to provider: ProviderProcess, _ loop: EventLoop) throws {
    try wallet.connect(to: try #require(provider.address), fence(2))
    #expect(try loop.run(for: .seconds(10)) { wallet.channel?.isReestablished == true })
  }

  @Test
  func `A wallet that one lspd serves is turned away by the other with one sentence, until that one ends`()
    throws
  {
    let providers = try pair()
    let wallet = ScriptedWallet(loop: providers[1].loop, key: key)
    try connected(wallet, to: providers[0], providers[1].loop)

    let late = ScriptedWallet(loop: providers[1].loop, key: key)
    try late.connect(to: try #require(providers[1].address), fence(2))
    #expect(try providers[1].eventually { late.isClosed })
    let warnings = late.received.compactMap { message in
      if case .warning(let warning) = message { warning.text } else { nil }
    }
    #expect(warnings.first?.contains("another lspd of this database serves the wallet") == true)
    let sender = try providers[1].pay(1, waiting: false, to: key.publicKey)
    #expect(try sender.receive()["message"]?.contains("another lspd") == true)
    #expect(try providers[1].ledger("SELECT count(*) FROM payments") == [0])
    #expect(try providers[1].hint(key.publicKey.hex, 1000).status == 503)

    #expect(try providers[0].goDown()?.how == .exited(code: 0))
    try connected(late, to: providers[1], providers[1].loop)
    #expect(try providers[1].pay(1, waiting: false, to: key.publicKey).receive()["state"] != "failed")
    #expect(
      try providers[1].eventually { try providers[1].ledger("SELECT state FROM payments") == ["paid"] })
  }

  @Test func `A wallet that has left an lspd's memory may come to any other, and its phone's wallet may not`()
    throws
  {
    let providers = try pair()
    let loop = providers[1].loop
    let own = ScriptedWallet(loop: loop, key: key)
    try connected(own, to: providers[0], loop)
    let guest = ScriptedWallet(loop: loop, key: PrivateKey(SHA256.hash([2]))!)
    try connected(guest, to: providers[0], loop)
    for wallet in [own, guest] { wallet.hangUp() }
    #expect(
      try providers[1].eventually {
        try providers[1].ledger("SELECT wallet FROM leases WHERE run = 1") == [1]
      })
    try connected(guest, to: providers[1], loop)
    #expect(try providers[1].ledger("SELECT run FROM leases WHERE wallet = 3") == [2])
    try own.connect(to: try #require(providers[1].address), fence(2))
    #expect(try providers[1].eventually { own.isClosed })
    #expect(own.channel?.isReestablished == false)
  }

  @Test func `A frozen lspd loses its wallets after 5 s, and ends without a word when it goes on`() throws {
    let providers = try pair()
    let wallet = ScriptedWallet(loop: providers[1].loop, key: key)
    try connected(wallet, to: providers[0], providers[1].loop)
    #expect(try providers[0].pay(1, waiting: false, to: key.publicKey).receive()["state"] != "failed")
    #expect(
      try providers[1].eventually { try providers[1].ledger("SELECT state FROM payments") == ["paid"] })
    providers[0].signal(SIGSTOP)
    let early = ScriptedWallet(loop: providers[1].loop, key: key)
    try early.connect(to: try #require(providers[1].address), fence(2))
    #expect(try providers[1].eventually { early.isClosed })
    #expect(early.channel?.isReestablished != true)
    let again = ScriptedWallet(loop: providers[1].loop, key: key)
    again.channel = wallet.channel
    #expect(
      try providers[1].eventually {
        try again.connect(to: try #require(providers[1].address), fence(2))
        return try providers[1].loop.run(for: .seconds(1)) { again.channel?.isReestablished == true }
      })
    // Of the frozen lspd's connection; the other one goes on writing.
    let written = "SELECT count(*) FROM frames WHERE connection = (SELECT min(id) FROM connections)"
    let before = try providers[1].ledger(written)
    providers[0].signal(SIGCONT)
    #expect(try providers[0].reapWhenEnded()?.how == .exited(code: ExitCode.inputOutputError.rawValue))
    #expect(try providers[1].ledger(written) == before)
    #expect(again.channel?.isReestablished == true)
  }

  /// As at an lspd that is amid a request with the id.
  private final class AttemptLock {
    let server: PostgreSQLConnection
    private let key: SQLValue

    init(_ url: String, _ id: Bytes32) throws {
      server = try PostgreSQLConnection(url: url, application: "test")
      key = .integer(id.bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
      try server.execute("SELECT pg_advisory_lock(?)", [key])
    }

    func end() throws { try server.execute("SELECT pg_advisory_unlock(?)", [key]) }
  }

  /// The first one has served the wallet, which is away.
  private func awayPair() throws -> [ProviderProcess] {
    let providers = try pair()
    let wallet = ScriptedWallet(loop: providers[0].loop, key: key)
    try connected(wallet, to: providers[0], providers[0].loop)
    wallet.hangUp()
    #expect(
      try providers[0].eventually {
        try providers[0].ledger("SELECT id FROM connections WHERE closed_at_ns IS NULL").isEmpty
      })
    return providers
  }

  private func attempt(_ id: Bytes32, to payee: PublicKey) -> ControlMessage {
    ControlMessage(
      "pay",
      [
        "payment-hash": paymentHash(1).hex, "amount-msat": "1000", "wait": "no", "hold-seconds": "60",
        "attempt-id": id.hex, "payee": payee.hex,
      ])
  }

  /// An error with the attempt's id would be a refusal to the sender.
  private func expectPending(_ answer: ControlMessage) throws {
    #expect(
      answer.errorSentence?.contains("it is pending") == true && answer["attempt-id"] == nil, "\(answer)")
  }

  @Test
  func
    `An attempt that another lspd is amid is pending at once, and then one payment, which one of them holds`()
    throws
  {
    let providers = try awayPair()
    let id = SHA256.hash([9])
    let message = attempt(id, to: key.publicKey)
    let lock = try AttemptLock(try #require(providers[0].url), id)
    for provider in providers {
      let client = try provider.client()
      for request in [message, ControlMessage("await", ["attempt-id": id.hex, "wait": "no"])] {
        try client.send(request)
        try expectPending(try client.receive())
      }
    }
    #expect(try providers[1].ledger("SELECT count(*) FROM payments") == [0])
    try lock.end()
    let clients = try providers.map { provider in
      let client = try provider.client()
      try client.send(message)
      return client
    }
    for (client, provider) in zip(clients, providers) {
      var answer = try client.receive()
      // The other one was at it; or it serves the wallet, and has not begun.
      if answer["payment"] == nil {
        if answer.errorSentence?.contains("serves the wallet") != true { try expectPending(answer) }
        #expect(
          try provider.eventually {
            let again = try provider.client()
            try again.send(message)
            answer = try again.receive()
            return answer["payment"] != nil
          })
      }
      #expect(answer["payment"] == "1" && answer["state"] == "held")
    }
    #expect(try providers[1].ledger("SELECT state FROM payments") == ["held"])
  }

  @Test func `Whether an attempt has arrived is not said while an lspd is amid it`() throws {
    let provider = try pair()[0]
    let id = SHA256.hash([9])
    let lock = try AttemptLock(try #require(provider.url), id)
    let client = try provider.client()
    let question = ControlMessage("await", ["attempt-id": id.hex])
    try client.send(question)
    try expectPending(try client.receive())
    try lock.end()
    #expect(try client.request(question)["state"] == "never-arrived")
  }

  @Test
  func
    `An attempt of an lspd that is frozen amid its transaction is pending at another at once, and is booked once`()
    throws
  {
    let providers = try awayPair()
    let id = SHA256.hash([9])
    let message = attempt(id, to: key.publicKey)
    let server = try PostgreSQLConnection(
      url: try #require(providers[0].url), application: "test", for: .copying)
    let waits = """
      SELECT 1 FROM pg_locks WHERE NOT granted AND relation = CAST('payments' AS REGCLASS)
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      """
    let frozen = try providers[0].client()
    try server.transaction {
      // Rows can be read meanwhile, and none be written.
      try server.execute("LOCK TABLE payments IN EXCLUSIVE MODE", [])
      try frozen.send(message)
      let observer = try PostgreSQLConnection(
        url: try #require(providers[0].url), application: "test", for: .copying)
      #expect(try providers[0].eventually { try observer.firstRow(waits) != nil })
      providers[0].signal(SIGSTOP)
    }
    // Its row is written now, and its transaction stays open.
    let other = try providers[1].client()
    for request in [message, ControlMessage("await", ["attempt-id": id.hex, "wait": "no"])] {
      try other.send(request)
      try expectPending(try other.receive())
    }
    // The server ends the frozen one's session, or the beat takes its wallets.
    var fate: ControlMessage?
    #expect(
      try providers[1].eventually {
        try other.send(ControlMessage("await", ["attempt-id": id.hex, "wait": "no"]))
        fate = try other.receive()
        return fate?["state"] != nil
      })
    #expect(fate?["state"] == "never-arrived")
    #expect(try providers[1].client().request(message)["state"] == "held")
    providers[0].signal(SIGCONT)
    #expect(try providers[0].reapWhenEnded()?.how == .exited(code: ExitCode.inputOutputError.rawValue))
    // Without an answer: an error would be received.
    #expect(throws: ControlClientError.self) { _ = try frozen.receive() }
    #expect(
      try providers[1].ledger("SELECT state FROM payments WHERE attempt_id IS NOT NULL") == ["held"])
  }

  // MARK: The server

  @Test func `A request that finds the connection to the database lost gets no outcome, and lspd ends`()
    throws
  {
    let url = try TestServer.shared.get().newDatabase()
    let provider = try ProviderProcess([], url: url)
    let client = try provider.client()
    // Returns once the session has ended.
    try PostgreSQLConnection(url: url, application: "test").execute(
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE application_name = 'lspd' AND datname = current_database()
      """, [])
    #expect(throws: ControlClientError.self) {
      try client.send(
        ControlMessage(
          "pay",
          [
            "payment-hash": paymentHash(1).hex, "amount-msat": "1000", "wait": "no",
            "attempt-id": SHA256.hash([9]).hex,
          ]))
      // An error would be received.
      _ = try client.receive()
    }
    #expect(try provider.reapWhenEnded()?.how == .exited(code: ExitCode.inputOutputError.rawValue))
  }

  @Test func `If the server is killed lspd ends, and after its restart everything acknowledged is there`()
    throws
  {
    let server = try TestServer()
    let provider = try ProviderProcess([], url: try server.newDatabase())
    for number in UInt64(1)...20 {
      #expect(try provider.pay(number, waiting: false).receive()["state"] == "held")
    }
    // One more is on its way into the database.
    _ = try provider.pay(21, waiting: false)
    try server.crash()
    #expect(try provider.reapWhenEnded()?.how == .exited(code: ExitCode.inputOutputError.rawValue))
    try server.restart()
    try provider.start()
    let hashes = try provider.ledger("SELECT payment_hash FROM payments WHERE state = 'held' ORDER BY id")
    #expect(Array(hashes.prefix(20)) == (UInt64(1)...20).map { .blob(paymentHash($0).bytes) })
    let wallet = ScriptedWallet(loop: provider.loop)
    try wallet.connect(to: try #require(provider.address), fence(1))
    #expect(
      try provider.eventually {
        try provider.ledger("SELECT count(*) FROM payments WHERE state = 'held'") == [0]
      })
  }
}
