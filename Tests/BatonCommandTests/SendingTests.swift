import Lightning
import Crypto

@testable import Baton

/// A sender against an lspd that the test plays, on one loop.
@Suite("A sender's attempts at lspd", .waits) final class SendingTests {
  private let scratch = TemporaryDirectory()
  private let loop: EventLoop
  private let phone: Phone
  private var listener: UnixListener?
  private var sending: Sending?
  private var reports: [SenderReport] = []
  private var losses = 0
  /// What lspd was asked, and by whom.
  private var asked: [ControlMessage] = []
  private var clients: [UnixConnection] = []

  init() throws {
    loop = try EventLoop()
    phone = Phone(home: scratch("phone"))
    try FileManager.default.createDirectory(atPath: phone.lsp, withIntermediateDirectories: true)
  }

  deinit {
    sending?.stop()
    listener?.shutDown()
  }

  private func listen() throws {
    listener = try UnixListener(path: phone.lspdSocket, loop: loop) { [unowned self] client in
      client.onMessage = { [unowned self] message in
        asked.append(message)
        clients.append(client)
      }
    }
  }

  private func begin(_ policy: RetryPolicy = .interim) throws {
    let key = PrivateKey(SHA256.hash([1]))!
    let fields = InvoiceFields(
      network: .regtest, amountMsat: 5000, timestamp: UInt64(Clock().wallNanoseconds / 1_000_000_000),
      paymentHash: SHA256.hash([2]), paymentSecret: .zero, purpose: .text("x"), expirySeconds: 3600)
    let invoice = try PayableInvoice(
      typed: try SignedInvoice(fields, signedBy: key).encoded, at: Clock().wallNanoseconds)
    let sending = Sending(
      invoice, SenderSettings(policy, seed: 1), holdSeconds: nil,
      hints: try HintServer(named: nil, phone: phone, loop: loop), phone: phone, loop: loop)
    sending.onEvent = { [unowned self] event in
      switch event {
      case .report(let report): reports.append(report)
      case .lost: losses += 1
      case .began, .held, .failed: break
      }
    }
    self.sending = sending
    sending.start()
  }

  /// The question of that number.
  private func question(_ number: Int) throws -> ControlMessage {
    try #require(
      try loop.run(for: Wait.timeout) { asked.count >= number }, "lspd is not asked \(number) times")
    return asked[number - 1]
  }

  private func answer(_ state: String, _ more: KeyValuePairs<String, String> = [:]) {
    var message = ControlMessage("payment", ["state": state])
    for (name, value) in more { message[name] = value }
    clients.last?.send(message)
  }

  private func end() throws -> SenderReport {
    try #require(try loop.run(for: Wait.timeout) { reports.contains(where: \.isFinal) })
    return try #require(reports.last)
  }

  @Test func `An attempt whose connection breaks is asked for by its id, and settles with one request`()
    throws
  {
    try listen()
    try begin()
    let id = try #require(try question(1)["attempt-id"])
    #expect(asked[0].verb == "pay" && Bytes32(hex: id) != nil)
    clients[0].close()
    let found = try question(2)
    #expect(found.verb == "await" && found["attempt-id"] == id && found["wait"] == "no")
    answer("offered")
    #expect(try question(3)["attempt-id"] == id && asked[2]["wait"] == "yes")
    answer("settled", ["preimage": Bytes32.zero.hex])
    expect(try end(), is: .settled)
    #expect(losses == 1 && asked.map(\.verb) == ["pay", "await", "await"])
  }

  @Test func `An error about the connection, as a newer one took its place, is no answer to the attempt`()
    throws
  {
    try listen()
    try begin()
    _ = try question(1)
    clients[0].send(.error("a newer connection took the place"))
    expect(try question(2).verb, is: "await")
    #expect(reports.isEmpty)
    answer("settled", ["preimage": Bytes32.zero.hex])
    expect(try end(), is: .settled)
  }

  @Test func `An error about the request ends the payment with lspd's sentence`() throws {
    try listen()
    try begin()
    var refusal = ControlMessage.error("no such payee")
    refusal["attempt-id"] = try question(1)["attempt-id"]
    clients[0].send(refusal)
    expect(try end(), is: .refused("no such payee"))
  }

  /// Another lspd of the database may serve the wallet meanwhile, or the ledger be lost.
  @Test func `An error after lspd has taken the payment is no outcome: it is asked again until it settles`()
    throws
  {
    try listen()
    try begin()
    let id = try #require(try question(1)["attempt-id"])
    answer("held")
    var refusal = ControlMessage.error("another lspd of this database serves the wallet")
    refusal["attempt-id"] = id
    for number in [2, 4] {
      expect(try question(number)["wait"], is: "yes")
      clients.last?.send(refusal)
      expect(try question(number + 1)["wait"], is: "no")
      answer("held")
    }
    #expect(try question(6)["wait"] == "yes" && reports.isEmpty)
    answer("settled", ["preimage": Bytes32.zero.hex])
    expect(try end(), is: .settled)
    #expect(losses == 1 && asked.filter { $0.verb == "pay" }.count == 1)
  }

  @Test func `After an attempt that never arrived the next one has another id`() throws {
    try listen()
    try begin()
    let first = try question(1)["attempt-id"]
    clients[0].close()
    _ = try question(2)
    answer("never-arrived")
    let next = try question(3)
    #expect(next.verb == "pay" && next["attempt"] == "2")
    #expect(next["attempt-id"] != first && next["attempt-id"]?.count == 64)
    answer("failed", ["code": "0x400f"])
    guard case .failed(let failure) = try end() else {
      Issue.record("\(reports)")
      return
    }
    #expect(failure.code?.rawValue == 0x400F && failure.attempts == 2)
  }

  @Test func `While lspd is gone the attempt is asked for again and again, and no other one begins`() throws {
    try listen()
    try begin()
    let id = try question(1)["attempt-id"]
    clients[0].close()
    listener?.shutDown()
    listener = nil
    // Longer than the gap after a failed attempt, if the attempt counted as failed.
    #expect(try !loop.run(for: .seconds(2)) { !reports.isEmpty })
    expect(losses, is: 1)
    try listen()
    expect(try question(2)["attempt-id"], is: id)
    answer("failed", ["code": "0x400f"])
    guard case .failed = try end() else {
      Issue.record("\(reports)")
      return
    }
    expect(asked.map(\.verb), is: ["pay", "await"])
  }

  @Test func `Each way in which lspd cannot be reached has its own reason`() throws {
    func reason() throws -> SendFailure? {
      reports = []
      try begin(.off)
      guard case .failed(let failure) = try end() else { return nil }
      return failure.notSent
    }
    expect(try reason(), is: .notRunning)
    scratch.write("phone/lsp/lspd.sock", "")
    expect(try reason(), is: .notRunning)
    unlink(phone.lspdSocket)
    symlink("elsewhere", phone.lspdSocket)
    guard case .system(let sentence)? = try reason() else {
      Issue.record("a link is \(reports)")
      return
    }
    #expect(sentence.contains("lspd.sock"))
    unlink(phone.lspdSocket)
    // A loop that never runs: nobody takes the connections of the queue.
    let frozen = try EventLoop()
    listener = try UnixListener(path: phone.lspdSocket, loop: frozen) { _ in }
    var crowd: [ControlClient] = []
    for _ in 0..<1000 {
      guard let client = try? ControlClient(path: phone.lspdSocket, daemon: "lspd", timeout: .milliseconds(1))
      else { break }
      crowd.append(client)
    }
    expect(try reason(), is: .busy)
    #expect(
      SendFailure(ControlClientError.foreign(daemon: "lspd", path: "x", user: 7)) == .foreign
        && SendFailure(ControlClientError.stopped("x")) == .stopped)
  }
}
