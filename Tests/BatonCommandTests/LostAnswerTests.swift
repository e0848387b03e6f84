import Lightning
import Crypto
import Baton
import PhonePolicy

/// `baton pay` without `--retry`, against an lspd that the test plays.
@Suite("baton pay, when the connection to lspd breaks", .waits) final class LostAnswerTests {
  private let scratch = TemporaryDirectory()
  private let phone: Baton.Phone
  private let loop: EventLoop
  private var listener: UnixListener?
  private var asked: [ControlMessage] = []
  /// How lspd answers the questions, in their order; nil: it closes the connection.
  private var answers: [ControlMessage?] = []

  init() throws {
    loop = try EventLoop()
    phone = Baton.Phone(home: scratch("phone"))
    try FileManager.default.createDirectory(atPath: phone.lsp, withIntermediateDirectories: true)
    listener = try UnixListener(path: phone.lspdSocket, loop: loop) { [unowned self] client in
      client.onMessage = { [unowned self, unowned client] message in
        asked.append(message)
        guard let answer = answers.isEmpty ? nil : answers.removeFirst() else { return client.close() }
        client.send(answer)
      }
    }
  }

  deinit { listener?.shutDown() }

  private func state(_ state: String, _ fields: KeyValuePairs<String, String> = [:]) -> ControlMessage {
    var message = ControlMessage("payment", ["state": state])
    for (name, value) in fields { message[name] = value }
    return message
  }

  /// The exit of `baton pay`.
  private func pay(_ options: String..., answers: [ControlMessage?]) throws -> ProcessEnd? {
    self.answers = answers
    let fields = InvoiceFields(
      network: .regtest, amountMsat: 5_000_000, timestamp: UInt64(Clock().wallNanoseconds / 1_000_000_000),
      paymentHash: SHA256.hash([2]), paymentSecret: .zero, purpose: .text("x"), expirySeconds: 3600,
      features: .ofOurInvoices)
    let word = try SignedInvoice(fields, signedBy: PrivateKey(SHA256.hash([1]))!).encoded
    let paying = try scratch.start("baton", ["--home", phone.home, "pay", word] + options)
    let hasEnded = try loop.run(for: .seconds(60)) {
      var waiting = pollfd(fd: paying.pidfd, events: Int16(POLLIN), revents: 0)
      return poll(&waiting, 1, 10) > 0
    }
    #expect(hasEnded)
    return paying.end()
  }

  private var said: String { scratch.text("said") }

  @Test func `lspd is asked for the payment by its id, and it is requested once`() throws {
    let preimage = Bytes32.zero.hex
    let end = try pay(
      answers: [
        nil, state("held", ["payment": "1"]), state("settled", ["payment": "1", "preimage": preimage]),
      ])
    #expect(end == .exited(code: 0) && said.contains("settled: 5,000 sat in "))
    let id = try #require(asked.first?["attempt-id"])
    #expect(asked.map(\.verb) == ["pay", "await", "await"] && asked.allSatisfy { $0["attempt-id"] == id })
    expect(asked.map { $0["wait"] }, is: ["no", "no", "yes"])
  }

  @Test func `A connection that breaks in the wait is followed by another question, and not by a payment`()
    throws
  {
    let end = try pay(
      answers: [state("offered", ["payment": "1"]), nil, nil, state("settled", ["payment": "1"])])
    #expect(end == .exited(code: 0) && asked.map(\.verb) == ["pay", "await", "await", "await"])
  }

  @Test func `A payment that lspd never had is told as not sent`() throws {
    let end = try pay("--no-wait", answers: [nil, state("never-arrived")])
    #expect(end == .exited(code: 69) && said.contains("nothing was sent; repeat the command"), "\(said)")
    expect(asked.map(\.verb), is: ["pay", "await"])
  }

  @Test func `An error about the connection is no answer to the payment, one with its id is`() throws {
    let end = try pay(
      "--no-wait", answers: [.error("a newer connection took the place"), state("held", ["payment": "1"])])
    #expect(end == .exited(code: 0) && said.hasPrefix("held: "), "\(said)")
  }

  @Test func `In parts, lspd is asked for each part anew after its connection broke in the wait`() throws {
    let open = [state("offered", ["payment": "1"]), state("offered", ["payment": "2"])]
    let settled = [state("settled", ["payment": "1"]), state("settled", ["payment": "2"])]
    let end = try pay("--parts", "2", answers: [.error("no such payment")] + open + [nil] + open + settled)
    #expect(end == .exited(code: 0) && said.contains("settled: 5,000 sat in "), "\(said)")
    expect(asked.count { $0.verb == "pay" }, is: 2)
  }

  @Test func `A later part that lspd never had ends the sending, and the earlier one is awaited`() throws {
    let end = try pay(
      "--parts", "3",
      answers: [
        .error("no such payment"), state("offered", ["payment": "1"]), nil, state("never-arrived"),
        state("failed", ["payment": "1"]),
      ])
    #expect(
      end == .exited(code: 5) && said.contains("part 2 of 3") && said.contains(": not sent, as the"),
      "\(said)")
    expect(asked.map(\.verb), is: ["await", "pay", "pay", "await", "await"])
  }

  @Test func `A silent lspd is waited for as long as was asked; it may have the payment: exit code 7`() throws
  {
    let request = ControlMessage("pay", ["attempt-id": Bytes32.zero.hex, "wait": "no"])
    let error = try #require(throws: ControlClientError.self) {
      try phone.pay(request, timeout: .milliseconds(50))
    }
    expect(
      error.description,
      is:
        "the outcome is unknown: the daemon at \(phone.lspdSocket) did not answer in time; look at its journal; look at `baton list payments` before you try again"
    )
    expect(CommandFailure(error).code, is: .tooSlow)
    #expect(throws: ControlClientError.timedOut(path: phone.lspdSocket)) {
      try phone.outcome(of: request, timeout: .milliseconds(50))
    }
  }

  @Test func `A payment of which lspd says nothing may still settle: exit code 7, and no second request`()
    throws
  {
    let end = try pay(answers: [])
    #expect(end == .exited(code: 7) && said.hasPrefix("baton: the outcome is unknown: "), "\(said)")
    #expect(said.contains("which may still settle; nothing was sent twice"))
    #expect(asked.first?.verb == "pay" && asked.count { $0.verb == "pay" } == 1)
  }

  @Test func `A later part of which lspd says nothing: exit code 7, and the payment counts as pending`()
    throws
  {
    let end = try pay(
      "--parts", "2", answers: [.error("no such payment"), state("offered", ["payment": "1"])])
    #expect(end == .exited(code: 7) && said.contains("baton: the outcome is unknown: "), "\(said)")
  }

  @Test func `An lspd that is away when the time to wait is over leaves the parts pending`() throws {
    let end = try pay(
      "--parts", "2", "--timeout", "1s",
      answers: [
        .error("no such payment"), state("offered", ["payment": "1"]), state("offered", ["payment": "2"]),
      ])
    #expect(end == .exited(code: 7) && said.contains("pending: no outcome in "), "\(said)")
  }
}
