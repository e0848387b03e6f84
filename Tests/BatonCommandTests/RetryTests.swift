import DaemonRuntime
import Platform
import Glibc
import Ground
import Lightning
import Testing
import WaitingTests

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

  @Test
  func `B-0.6, K-1 A payment whose first attempt fails settles with a later one, once the app is opened`()
    throws
  {
    let (phone, invoice) = try awayPhone("--hold-seconds", "0")
    let payment = try phone.begin("pay", invoice, "--retry", "interim", "--json", into: "payment")
    try Wait.until("the first attempt to fail") {
      phone.scratch.text("payment").contains(#""event":"failed""#)
    }
    _ = try phone.run("app", "open")
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    let said = documents(phone.scratch.text("payment"))
    let last = try #require(said.last)
    #expect(last["state"]?.text == "settled" && last["preimage"]?.text?.count == 64)
    let attempts = try #require(last["attempts"]?.int)
    #expect(attempts > 1)
    #expect(
      said.filter { $0["event"]?.text == "attempt" }.compactMap { $0["attempt"]?.int } == Array(1...attempts))
    // The ledger has each attempt, and the payment once.
    let rows = try phone.phone.peerPayments()
    #expect(rows.map(\.state) == [String](repeating: "failed", count: Int(attempts) - 1) + ["paid"])
    #expect(try phone.run("judge").contains("Verdict: sound."))
  }

  /// Nothing is scaled: the sender's own deadline, and a hold that ends 8 s after it.
  @Test
  func
    `K-12 A payment held for 20 s is pending at the sender's deadline of 12 s, and then settles with its one HTLC`()
    throws
  {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      "pay", invoice, "--retry", "interim", "--hold-seconds", "20", "--json", into: "payment")
    #expect(phone.scratch.end(payment) == .exited(code: ExitCode.tooSlow.rawValue))
    let toldAt = Clock.monotonicNow
    // Still held when the sender has gone, and nothing was told but one attempt.
    #expect(try phone.phone.peerPayments().map(\.state) == ["held"])
    _ = try phone.run("app", "open")
    let said = documents(phone.scratch.text("payment"))
    #expect(said.compactMap { $0["event"]?.text } == ["attempt", "held"])
    let last = try #require(said.last)
    #expect(last["state"]?.text == "pending" && last["attempts"]?.int == 1 && last["ended_by"] == nil)
    #expect((12_000..<20_000).contains(try #require(last["took_ms"]?.int)))

    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    let row = try #require(try phone.phone.peerPayments().first)
    let (requested, ends) = (row.requestedAtNs, try #require(row.holdUntilNs))
    // lspd reads its clock for the hold, and again for the row.
    #expect((19_900_000_000...20_000_000_000).contains(ends - requested))
    #expect(try #require(row.settledAtNs) > toldAt.nanoseconds)
    #expect(try #require(row.offeredAtNs) < ends)
    #expect(try addsOffered(phone) == 1)
    #expect(try phone.run("pay", invoice, "--retry", "interim").hasPrefix("nothing was sent: "))
    #expect(try phone.phone.peerPayments().count == 1)
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

  @Test func `K-12 While a payment is under way the invoice is not paid again, and not called failed`() throws
  {
    let (phone, invoice) = try awayPhone()
    _ = try phone.run("pay", invoice, "--no-wait", "--hold-seconds", "600")
    let again = try phone.begin("pay", invoice, "--retry", "interim", into: "again")
    #expect(phone.scratch.end(again) == .exited(code: ExitCode.tooSlow.rawValue))
    #expect(phone.scratch.text("again").hasPrefix("pending: an earlier payment of this invoice is under way"))
    #expect(try phone.phone.peerPayments().count == 1)
  }

  @Test func `A sender whose connection lspd closes to make room finds its attempt again`() throws {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      "pay", invoice, "--retry", "interim", "--hold-seconds", "60", "--json", into: "payment")
    try Wait.until("the payment to be held") {
      phone.scratch.text("payment").contains(#""event":"held""#)
    }
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
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(documents(phone.scratch.text("payment")).last?["state"]?.text == "settled")
    #expect(try phone.phone.peerPayments().map(\.state) == ["paid"])
    withExtendedLifetime(crowd) {}
  }

  @Test func `A payment stays under way while lspd is down, and is found again when lspd is back`() throws {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin("pay", invoice, "--retry", "interim", "--json", into: "payment")
    try Wait.until("the payment to be held") {
      phone.scratch.text("payment").contains(#""event":"held""#)
    }
    let peer = try phone.phone.connect(to: .lspd).listener
    kill(try #require(peer), SIGKILL)
    _ = try phone.run("up")
    _ = try phone.run("app", "open")
    #expect(phone.scratch.end(payment) == .exited(code: 0))
    #expect(documents(phone.scratch.text("payment")).last?["state"]?.text == "settled")
    #expect(try phone.phone.peerPayments().map(\.state) == ["paid"])
  }

  @Test
  func `B-1.7.1.m1, K-1 Without lspd nothing is sent: each attempt finds no route, and the message says so`()
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
    #expect(last["meaning"]?.text == "lspd of this phone does not run; start it with `baton up`")
    _ = try phone.run("up")
  }

  @Test func `--count pays that many new invoices at the given rate, and reports percentiles`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let document = try #require(
      documents(try phone.run("pay", "--count", "20", "--rate", "50", "--amount", "21", "--json")).last)
    #expect(document["payments"]?.int == 20 && document["settled"]?.int == 20)
    #expect(document["failed"]?.int == 0 && document["pending"]?.int == 0)
    let spans = ["median_us", "p90_us", "p95_us", "p99_us", "longest_us"].compactMap { document[$0]?.int }
    #expect(spans.count == 5 && spans == spans.sorted() && (spans.first ?? 0) > 0)
    #expect((document["took_ms"]?.int ?? 0) >= 19 * 20)
    let text = try phone.run("pay", "--count", "2", "--amount", "21")
    #expect(text.hasPrefix("2 payments at 10 per second with 2 attempts in "))
    #expect(text.contains("\nfrom the first attempt to the preimage: median "))
  }

  @Test func `Options that need another one, or exclude each other, are refused`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let invoice = try phone.invoice()
    let refusals = [
      (["--retry-deadline", "12"], "--retry-deadline requires --retry hint or --retry interim"),
      (["--attempts", "2"], "--attempts requires --retry hint or --retry interim"),
      (["--seed", "2"], "--seed requires --retry hint or --retry interim"),
      (["--hint-url", "http://127.0.0.1:1"], "--hint-url requires --retry hint"),
      (["--retry", "interim", "--hint-url", "http://127.0.0.1:1"], "--hint-url requires --retry hint"),
      (["--retry", "hint", "--hint-url", "file:///etc/passwd"], "--hint-url must be an address"),
      (["--retry", "hint", "--hint-url", "http://"], "--hint-url must be an address"),
      (["--retry", "hint", "--hint-url", "http://a/?b=c"], "--hint-url must be an address"),
      (["--retry", "hint", "--no-wait"], "--no-wait cannot be combined with --retry hint"),
      (["--retry", "interim", "--parts", "2"], "--parts cannot be combined with --retry interim"),
      (
        ["--retry", "interim", "--retry-deadline", "9"],
        "--retry-deadline must be a whole number from 10 to 15"
      ),
      (["--retry", "always"], "--retry must be one of hint, interim, off"),
      (["--rate", "2"], "--rate requires --count"),
      (["--no-wait", "--timeout", "2s"], "--timeout cannot be combined"),
      (["--button"], "--button requires --retry hint or --retry interim"),
      (["--spendable", "2"], "--spendable requires --retry hint or --retry interim"),
      (["--count", "2", "--amount", "1"], "--count makes its own invoices; omit INVOICE"),
    ]
    for (options, sentence) in refusals {
      let said = try phone.run(["pay", invoice] + options)
      #expect(said.contains(sentence), "\(options): \(said)")
    }
    #expect(try phone.run("pay", "--count", "2").contains("--count requires --amount"))
    #expect(try phone.run("pay").contains("INVOICE is missing"))
    #expect(try phone.phone.peerPayments().isEmpty)
  }

  @Test func `B-1.7.1.n2a, B-1.7.7.3, B-1.7.7.4 An amount above what the sender has; the button begins anew`()
    throws
  {
    let (phone, invoice) = try awayPhone("--hold-seconds", "0")
    let said = try phone.run("pay", invoice, "--retry", "hint", "--spendable", "4999")
    #expect(said.hasPrefix("failed with amount-too-high after 0 attempts in "), "\(said)")
    #expect(
      said.contains("\n\u{26a0} Amount Too High\nSend a smaller amount.\n") && !said.contains("Retry Now"))
    #expect(try phone.phone.peerPayments().isEmpty)
    #expect(
      Output(isJSON: false, usesColour: true).paint("\u{26a0} x", .orange)
        == "\u{1b}[38;5;208m\u{26a0} x\u{1b}[0m")

    // Enter once, then the end of the input.
    let command = "echo | exec '\(Scratch.programs)/baton' --home '\(phone.phone.home)' pay \(invoice)"
    let payment = try phone.scratch.start(
      "/bin/sh", ["-c", "\(command) --retry interim --attempts 2 --hold-seconds 0 --button --json"],
      into: "payment")
    #expect(phone.scratch.end(payment) == .exited(code: ExitCode.paymentFailed.rawValue))
    let documents = documents(phone.scratch.text("payment"))
    let ends = documents.filter { $0["state"] != nil }
    #expect(ends.compactMap { $0["button"]?.text } == ["Retry Now", "Retry Now"])
    #expect(
      documents.filter { $0["event"]?.text == "attempt" }.compactMap { $0["attempt"]?.int } == [1, 2, 1, 2])
    #expect(try phone.phone.peerPayments().count == 4)
  }

  @Test func `--count ends by ^C with the summary of what is done, and says what is under way`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up", "--hold-seconds", "600")
    // No extension starts for a push.
    _ = try phone.run("device", "notifications", "off")
    try phone.openAndConnect()
    let load = try phone.begin(
      ["pay", "--count", "400", "--rate", "1", "--amount", "21", "--json"], into: "load")
    try Wait.until("a payment to be paid") { try !phone.phone.peerPayments().isEmpty }
    _ = try phone.run("app", "quit")
    try phone.waitUntilAway()
    try Wait.until("a payment to be held") { try phone.phone.peerFacts().held > 0 }
    kill(load.identity.pid, SIGINT)
    #expect(phone.scratch.end(load) == .exited(code: ExitCode.interrupted.rawValue))
    let text = phone.scratch.text("load")
    let last = try #require(documents(text).last { $0["payments"] != nil })
    let counts = ["settled", "failed", "pending", "under_way", "not_begun"].compactMap { last[$0]?.int }
    #expect(counts.count == 5 && counts.reduce(0, +) == 400 && counts[3] > 0 && counts[4] > 0, "\(text)")
    #expect(last["interrupted_by"]?.text == "SIGINT")
    #expect(text.contains("interrupted by SIGINT: "), "\(text)")
  }

  @Test func `--count ends when lspd never answers, with the payments as pending`() throws {
    let phone = CommandPhone()
    _ = try phone.run("up")
    try phone.openAndConnect()
    let load = try phone.begin(
      ["pay", "--count", "300", "--rate", "50", "--amount", "21", "--timeout", "3s", "--json"],
      into: "load")
    let peer = try #require(try phone.phone.connect(to: .lspd).listener)
    try Wait.until("a payment") { try !phone.phone.peerPayments().isEmpty }
    kill(peer, SIGKILL)
    #expect(phone.scratch.end(load) != .exited(code: 0))
    let last = try #require(documents(phone.scratch.text("load")).last { $0["payments"] != nil })
    #expect(last["under_way"]?.int == 0 && last["not_begun"]?.int == 0)
    let failed = last["failures"]?.elements?.compactMap { $0["sentence"]?.text } ?? []
    #expect(failed.contains { $0.contains("lspd of this phone does not run") }, "\(failed)")
    _ = try phone.run("up")
  }
}
