import Platform
import Lightning

@testable import Baton

/// `baton pay --retry` and `--count` on real processes; Tests/Interop/hints.py tests the hints and the gaps.
@Suite("baton pay --retry", .waits) struct RetryTests {
  /// The wallet is away: no extension starts for a push.
  private func awayPhone(_ options: String...) throws -> (CommandPhone, invoice: String) {
    let phone = CommandPhone()
    _ = try phone.run(["up"] + options)
    _ = try phone.run("device", "notifications", "off")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    return (phone, invoice)
  }

  private func documents(_ text: String) -> [JSONValue] {
    text.split(separator: "\n").compactMap { JSONValue(parsing: Array($0.utf8)) }
  }

  @Test(.shows("B-0.6", "K-1"))
  func `A payment whose first attempt fails settles with a later one, once the app is opened`()
    throws
  {
    let (phone, invoice) = try awayPhone("--hold-seconds", "0")
    let payment = try phone.begin("pay", invoice, "--retry", "interim", "--json", into: "payment")
    try Wait.until("the first attempt to fail") {
      phone.scratch.text("payment").contains(#""event":"failed""#)
    }
    _ = try phone.run("app", "open")
    expect(payment.end(), is: .exited(code: 0))
    let said = documents(phone.scratch.text("payment"))
    let last = try #require(said.last)
    #expect(last["state"]?.text == "settled" && last["preimage"]?.text?.count == 64)
    let attempts = try #require(last["attempts"]?.int)
    #expect(attempts > 1)
    expect(
      said.filter { $0["event"]?.text == "attempt" }.compactMap { $0["attempt"]?.int },
      is: Array(1...attempts))
    // The ledger has each attempt, and the payment once.
    let rows = try phone.phone.peerPayments()
    expect(rows.map(\.state), is: [String](repeating: "failed", count: Int(attempts) - 1) + ["paid"])
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  /// Nothing is scaled: the sender's own deadline, and a hold that ends long after it.
  @Test(.shows("K-12"))
  func
    `A payment held for 60 s is pending at the sender's deadline of 12 s, and then settles with its one HTLC`()
    throws
  {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      "pay", invoice, "--retry", "interim", "--hold-seconds", "60", "--json", into: "payment")
    expect(payment.end(), is: .exited(code: ExitCode.tooSlow.rawValue))
    let toldAt = Clock.monotonicNow
    // Still held when the sender has gone, and nothing was told but one attempt.
    expect(try phone.phone.peerPayments().map(\.state), is: ["held"])
    _ = try phone.run("app", "open")
    let said = documents(phone.scratch.text("payment"))
    expect(said.compactMap { $0["event"]?.text }, is: ["attempt", "held"])
    let last = try #require(said.last)
    #expect(last["state"]?.text == "pending" && last["attempts"]?.int == 1 && last["ended_by"] == nil)
    #expect(try #require(last["took_ms"]?.int) >= 12_000)

    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    let row = try #require(try phone.phone.peerPayments().first)
    let (requested, ends) = (row.requestedAtNs, try #require(row.holdUntilNs))
    // lspd reads its clock for the hold, and again for the row.
    #expect((12_000_000_000...60_000_000_000).contains(ends - requested))
    #expect(try #require(row.settledAtNs) > toldAt.nanoseconds)
    #expect(try #require(row.offeredAtNs) < ends)
    expect(try addsOffered(phone), is: 1)
    #expect(try phone.run("pay", invoice, "--retry", "interim").hasPrefix("nothing was sent: "))
    expect(try phone.phone.peerPayments().count, is: 1)
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  /// The wallet's HTLCs by lspd's raw messages.
  private func addsOffered(_ phone: CommandPhone) throws -> Int64 {
    let ledger = try Connection(
      path: "\(phone.phone.lsp)/ledger.sqlite", access: .readOnly, busyTimeoutMs: 5000)
    // update_add_htlc has the type 128.
    let row = try ledger.firstRow(
      "SELECT count(*) FROM frames WHERE direction = 'out' AND substr(bytes, 1, 2) = x'0080'")
    return try #require(row).integer(0)
  }

  @Test func `A sender whose connection lspd closes to make room finds its attempt again`() throws {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      "pay", invoice, "--retry", "interim", "--hold-seconds", "60", "--json", into: "payment")
    try Wait.until("the payment to be held") { phone.scratch.text("payment").contains(#""event":"held""#) }
    let hash = try #require(try phone.phone.peerPayments().first?.paymentHash)
    // lspd serves 192 connections. For another it closes one that has not asked yet, else the oldest one.
    var crowd: [ControlClient] = []
    try Wait.until("the sender to have lost its connection") {
      let client = try phone.phone.connect(to: .lspd)
      try client.send(ControlMessage("await", ["payment-hash": hash]))
      crowd.append(client)
      return phone.scratch.text("payment").contains(#""event":"lost""#)
    }
    _ = try phone.run("app", "open")
    expect(payment.end(), is: .exited(code: 0))
    expect(documents(phone.scratch.text("payment")).last?["state"]?.text, is: "settled")
    expect(try phone.phone.peerPayments().map(\.state), is: ["paid"])
    withExtendedLifetime(crowd) {}
  }

  @Test func `A payment stays under way while lspd is down, and is found again when lspd is back`() throws {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin("pay", invoice, "--retry", "interim", "--json", into: "payment")
    try Wait.until("the payment to be held") { phone.scratch.text("payment").contains(#""event":"held""#) }
    let peer = try phone.phone.connect(to: .lspd).listener
    kill(try #require(peer), SIGKILL)
    _ = try phone.run("up")
    _ = try phone.run("app", "open")
    expect(payment.end(), is: .exited(code: 0))
    expect(documents(phone.scratch.text("payment")).last?["state"]?.text, is: "settled")
    expect(try phone.phone.peerPayments().map(\.state), is: ["paid"])
  }

  @Test(.shows("B-1.7.1.m1", "K-1"))
  func `Without lspd nothing is sent: each attempt finds no route, and the message says so`()
    throws
  {
    let (phone, invoice) = try awayPhone()
    let peer = try phone.phone.connect(to: .lspd).listener
    kill(try #require(peer), SIGKILL)
    try Wait.until("lspd to end") { !phone.phone.answers(.lspd) }
    let said = documents(
      try phone.run("pay", invoice, "--retry", "interim", "--attempts", "2", "--json"))
    let last = try #require(said.last)
    #expect(last["failure_class"]?.text == "route-not-found" && last["code"] == nil)
    #expect(last["headline"]?.text == "Route Not Found" && last["attempts"]?.int == 2)
    expect(last["meaning"]?.text, is: "lspd of this phone does not run; start it with `baton up`")
    _ = try phone.run("up")
  }
}
