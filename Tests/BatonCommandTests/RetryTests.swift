import DaemonRuntime
import Glibc
import Ground
import JSON
import Sender
import Testing
import WaitingTests

@testable import BatonCommand
@testable import PhoneClient

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

  @Test func `K-12 A payment that is held at the deadline is pending with exit code 7, and settles later`()
    throws
  {
    let (phone, invoice) = try awayPhone()
    let payment = try phone.begin(
      "pay", invoice, "--retry", "interim", "--retry-deadline", "10", "--hold-seconds", "20", into: "payment")
    #expect(phone.scratch.end(payment) == .exited(code: ExitCode.tooSlow.rawValue))
    #expect(phone.scratch.text("payment").contains("\npending: attempt 1 has no answer after 10."))
    let again = try phone.begin("pay", invoice, "--retry", "interim", into: "again")
    #expect(phone.scratch.end(again) == .exited(code: ExitCode.tooSlow.rawValue))
    #expect(phone.scratch.text("again").hasPrefix("pending: an earlier payment of this invoice is under way"))
    _ = try phone.run("app", "open")
    try Wait.until("the payment to settle") { try phone.phone.peerPayments().map(\.state) == ["paid"] }
    #expect(try phone.run("pay", invoice, "--retry", "interim").hasPrefix("nothing was sent: "))
    #expect(try phone.run("judge").contains("Verdict: sound."))
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
    let spans = ["median_us", "p90_us", "p99_us", "longest_us"].compactMap { document[$0]?.int }
    #expect(spans.count == 4 && spans == spans.sorted() && (spans.first ?? 0) > 0)
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

  @Test func `A percentile is the smallest time longer than that share of the times`() {
    let spans = SpanPercentiles((1...100).reversed().map { .milliseconds(Int64($0)) })
    #expect(spans.count == 100)
    #expect([0, 50, 90, 99, 100].map { spans[$0].wholeMilliseconds } == [1, 51, 91, 100, 100])
    #expect(SpanPercentiles([])[50] == .zero)
    #expect(SpanPercentiles([.seconds(3)])[99] == .seconds(3))
    #expect(
      SpanPercentiles([.seconds(3)])[-5] == .seconds(3) && SpanPercentiles([.seconds(3)])[500] == .seconds(3))
  }
}
