import Crypto
import DaemonRuntime
import Ground
import HTTP
import Lightning
import PhonePolicy

/// `baton pay --count`: many payments of new invoices at a steady rate, and how long they took.
final class PaymentLoad {
  private let phone: Phone
  private let output: Output
  private let loop: EventLoop
  private let retry: RetryOptions
  private let hints: HintServer
  private let holdSeconds: Int64?
  private let patience: TimeSpan
  private let interval: TimeSpan
  private let rate: Int64
  /// lspd serves 128 connections.
  private static let openMost = 100
  private static let progressInterval = TimeSpan.seconds(5)
  /// Twice as long as lspd holds a payment by itself.
  private static let standardTimeout = TimeSpan.seconds(120)
  /// From the end of a hold until the sender knows.
  private static let timeAfterHold = TimeSpan.seconds(30)

  private var invoices: [PayableInvoice] = []
  private var open: [Int: (sending: Sending, start: Instant)] = [:]
  /// Due, and waiting for one that is open to end.
  private var due: [(number: Int, start: Instant)] = []
  private var tally: LoadTally
  private var start = Clock.monotonicNow
  private var interruption: Interruption?

  init(_ retry: RetryOptions, count: Int, rate: Int64, _ invocation: Invocation) throws {
    phone = try invocation.phone
    output = invocation.output
    loop = try EventLoop()
    self.retry = retry
    self.rate = rate
    tally = LoadTally(count: count)
    interval = TimeSpan(nanoseconds: 1_000_000_000 / max(1, rate))
    holdSeconds = retry.holdSeconds(invocation.line)
    patience = Self.timeout(invocation.line, hold: holdSeconds.map { .seconds($0) })
    hints = try HintServer(named: retry.hintURL, phone: phone, loop: loop)
  }

  /// How long a sender without retries waits for an outcome.
  static func timeout(_ line: ParsedCommandLine, hold: TimeSpan?) -> TimeSpan {
    line.span("--timeout") ?? max(standardTimeout, (hold ?? .zero) + timeAfterHold)
  }

  func run(amountMsat: UInt64) throws -> ExitCode {
    try makeInvoices(amountMsat)
    for signal in Interruption.handled where signal != .quitByKey {
      try loop.onSignal(signal.rawValue) { [unowned self] in interruption = interruption ?? signal }
    }
    start = loop.now
    schedule(0)
    tellProgress()
    // Each payment has a deadline, so that the last one ends this.
    _ = try loop.run(for: .seconds(Int64.max / 4_000_000_000)) {
      interruption != nil || tally.refusal != nil || tally.isOver
    }
    let took = loop.now - start
    for (sending, _) in open.values {
      sending.stop()
      tally.note(attempts: sending.attempts)
    }
    if output.isJSON { output.say(document(took)) } else { lines(took).forEach { output.say($0) } }
    return end()
  }

  private func makeInvoices(_ amountMsat: UInt64) throws {
    let driver = try PhoneDriver(phone)
    var nextWord = Clock.monotonicNow + Self.progressInterval
    for number in 1...tally.count {
      invoices.append(try driver.makeInvoice(amountMsat: amountMsat, text: "load \(number)"))
      if Clock.monotonicNow >= nextWord {
        output.remark("\(number) of \(HumanText.count(tally.count, "invoice")) made")
        nextWord = Clock.monotonicNow + Self.progressInterval
      }
    }
  }

  /// From the start, so that a late payment does not delay the next ones.
  private func schedule(_ number: Int) {
    guard number < invoices.count else { return }
    loop.at(start + TimeSpan(nanoseconds: interval.nanoseconds * Int64(number))) { [unowned self] in
      due.append((number, loop.now))
      beginDue()
      schedule(number + 1)
    }
  }

  private func tellProgress() {
    loop.after(Self.progressInterval) { [unowned self] in
      output.remark("after \(HumanText.span(loop.now - start)): \(tally.counts)")
      tellProgress()
    }
  }

  private func beginDue() {
    while open.count < Self.openMost, !due.isEmpty {
      let next = due.removeFirst()
      begin(next.number, since: next.start)
    }
  }

  private func begin(_ number: Int, since start: Instant) {
    tally.begin()
    let sending = Sending(
      invoices[number], retry.settings(number, patience: patience), holdSeconds: holdSeconds, hints: hints,
      phone: phone, loop: loop)
    open[number] = (sending, start)
    sending.onEvent = { [unowned self] event in
      switch event {
      case .began, .held, .lost, .failed, .report(.retrying), .report(.skipped): break
      case .report(let report): ended(number, report)
      }
    }
    sending.start()
  }

  private func ended(_ number: Int, _ report: SenderReport) {
    guard let (sending, start) = open.removeValue(forKey: number) else { return }
    tally.end(report, attempts: sending.attempts, after: loop.now - start)
    sending.stop()
    // It is still at work in this call.
    loop.post { [self] in
      _ = sending
      beginDue()
    }
  }

  // MARK: Outcome

  private func end() -> ExitCode {
    if let interruption {
      let open = HumanText.count(tally.underWay + tally.pending, "payment")
      sayOnStandardError(
        "interrupted by \(interruption.name): \(open) may still settle, and go on without this command; `baton list payments` shows how they end"
      )
      return interruption.exitCode
    }
    if let refusal = tally.refusal {
      sayOnStandardError(refusal)
      return .notDone
    }
    if tally.pending > 0 { return .tooSlow }
    return tally.failed > 0 ? .paymentFailed : .done
  }

  private func lines(_ took: TimeSpan) -> [String] {
    let payments = HumanText.count(tally.count, "payment")
    let attempts = HumanText.count(tally.attempts, "attempt")
    return ["\(payments) at \(rate) per second with \(attempts) in \(HumanText.span(took)): \(tally.counts)"]
      + tally.failures.map { "\(HumanText.count($0.payments, "payment")) \($0.sentence)" }
      + (tally.settled.isEmpty
        ? [] : ["from the first attempt to the preimage: \(tally.percentiles.sentence)"])
  }

  struct Document: Report {
    var payments: Int
    var ratePerSecond: Int64
    var attempts: Int
    var settled: Int
    var failed: Int
    /// Under way at their deadline.
    var pending: Int
    /// After an interruption.
    var underWay: Int
    var notBegun: Int
    /// Such as SIGINT.
    var interruptedBy: String?
    /// Why lspd takes no such requests.
    var refusal: String?
    var failures: [LoadTally.Failure]
    /// Of the settled ones, from the first attempt to the preimage.
    var medianUs: Int64
    var p90Us: Int64
    var p95Us: Int64
    var p99Us: Int64
    var longestUs: Int64
    var tookMs: Int64
  }

  private func document(_ took: TimeSpan) -> Document {
    let waits = tally.percentiles
    func microseconds(_ percent: Int) -> Int64 { waits[percent].nanoseconds / 1000 }
    return Document(
      payments: tally.count, ratePerSecond: rate, attempts: tally.attempts, settled: tally.settled.count,
      failed: tally.failed, pending: tally.pending, underWay: tally.underWay, notBegun: tally.notBegun,
      interruptedBy: interruption?.name, refusal: tally.refusal,
      failures: tally.failures, medianUs: microseconds(50), p90Us: microseconds(90), p95Us: microseconds(95),
      p99Us: microseconds(99),
      longestUs: microseconds(100), tookMs: took.wholeMilliseconds)
  }
}

/// What became of the payments of `baton pay --count`.
struct LoadTally: Hashable {
  struct Failure: Report, Hashable {
    var sentence: String
    var payments: Int
  }

  let count: Int
  private(set) var begun = 0
  private(set) var attempts = 0
  /// From the first attempt to the preimage.
  private(set) var settled: [TimeSpan] = []
  /// Without an outcome at their deadline.
  private(set) var pending = 0
  /// The most frequent ones first.
  private(set) var failures: [Failure] = []
  /// Why lspd takes no such requests.
  private(set) var refusal: String?

  init(count: Int) { self.count = count }

  var failed: Int { failures.reduce(0) { $0 + $1.payments } }
  var underWay: Int { begun - settled.count - pending - failed }
  var notBegun: Int { count - begun }
  var isOver: Bool { notBegun == 0 && underWay == 0 }
  var percentiles: SpanPercentiles { SpanPercentiles(settled) }

  mutating func begin() { begun += 1 }

  mutating func end(_ report: SenderReport, attempts: Int, after span: TimeSpan) {
    note(attempts: attempts)
    switch report {
    case .settled: settled.append(span)
    case .pending, .alreadyPending: pending += 1
    case .failed(let failure): note(failure.sentence)
    case .alreadyPaid: note("not sent: the invoice is paid already")
    case .refused(let sentence):
      refusal = sentence
      note("refused by lspd")
    case .retrying, .skipped: break
    }
  }

  /// Also of payments that are under way.
  mutating func note(attempts: Int) { self.attempts += attempts }

  private mutating func note(_ sentence: String) {
    if let place = failures.firstIndex(where: { $0.sentence == sentence }) {
      failures[place].payments += 1
    } else {
      failures.append(Failure(sentence: sentence, payments: 1))
    }
    failures.sort { ($1.payments, $0.sentence) < ($0.payments, $1.sentence) }
  }

  /// `3 settled, 0 failed, 1 pending`; before the end also what is under way and what has not begun.
  var counts: String {
    let open = isOver ? "" : ", \(underWay) under way, \(notBegun) not begun"
    return "\(settled.count) settled, \(failed) failed, \(pending) pending\(open)"
  }
}

/// How `baton pay` tries again.
struct RetryOptions {
  static let declarations = [
    OptionDeclaration(
      "--retry", value: .choice(RetryPolicy.allCases.map(\.rawValue)), default: RetryPolicy.off.rawValue,
      help: "try again after a failure that may pass: as the peer hints, by a fixed schedule, or not at all"),
    OptionDeclaration(
      "--retry-deadline", value: .integer(10...15),
      help: "with --retry hint or interim: the seconds after which no attempt begins (default: 12)"),
    OptionDeclaration(
      "--attempts", value: .integer(1...Int64(SenderSettings.attemptsMost)),
      help: "with --retry hint or interim: at most N attempts (default: 4)"),
    OptionDeclaration(
      "--seed", value: .integer(0...Int64.max),
      help: "with --retry hint or interim: the same seed gives the same random parts of the pauses"),
    OptionDeclaration(
      "--hint-url", value: .text("URL"),
      help: "with --retry hint: the server of hints (default: the peer's, from lsp/http in the phone's home)"),
    OptionDeclaration(
      "--spendable", value: .text("AMOUNT"),
      help: "with --retry hint or interim: what the sender has; nothing is sent for a higher amount"),
    OptionDeclaration(
      "--button",
      help: "with --retry hint or interim: after a failure that may pass, Enter begins the payment anew"),
  ]

  let policy: RetryPolicy
  let hintURL: String?
  let hasButton: Bool
  private let spendableMsat: UInt64?
  private let deadline: TimeSpan
  private let attempts: Int
  private let seed: UInt64

  init(_ line: ParsedCommandLine) throws(CommandFailure) {
    policy = line.choice("--retry", as: RetryPolicy.self) ?? .off
    deadline = line.integer("--retry-deadline").map { .seconds($0) } ?? SenderSettings.standardDeadline
    attempts = Int(line.integer("--attempts") ?? Int64(SenderSettings.attemptsMost))
    // Short enough to be typed again.
    seed = line.integer("--seed").map { UInt64($0) } ?? UInt64(UInt32.random(in: 0 ... .max))
    hintURL = line.text("--hint-url")
    hasButton = line.isGiven("--button")
    spendableMsat = try line.text("--spendable").map { word throws(CommandFailure) in
      try InvoiceVerb.amountMsat(word, name: "--spendable")
    }
    if policy == .off {
      for name in ["--retry-deadline", "--attempts", "--seed", "--spendable", "--button"]
      where line.isGiven(name) {
        throw CommandFailure(.wrongUsage, "\(name) requires --retry hint or --retry interim")
      }
    }
    if let hintURL {
      if policy != .hint { throw CommandFailure(.wrongUsage, "--hint-url requires --retry hint") }
      try HintServer.check(hintURL)
    }
  }

  func holdSeconds(_ line: ParsedCommandLine) -> Int64? {
    line.integer("--hold-seconds")
      ?? (policy == .off ? nil : SenderSettings.standardHold.wholeMilliseconds / 1000)
  }

  /// Of the nth payment of this command. `patience`: how long one without retries may take.
  func settings(_ number: Int = 0, patience: TimeSpan? = nil) -> SenderSettings {
    SenderSettings(
      policy, deadline: deadline, attempts: attempts, seed: seed &+ UInt64(number), patience: patience,
      spendableMsat: spendableMsat)
  }
}

/// The server that gives forwarding hints: the one that the user names, or this phone's lspd.
final class HintServer {
  private static let bytesMost = 4096
  private static let addressBytesMost = 2048

  private let client: HTTPClient
  private let named: String?
  private let phone: Phone

  init(named: String?, phone: Phone, loop: EventLoop) throws {
    client = try HTTPClient(loop: loop)
    self.named = named
    self.phone = phone
  }

  /// `http://HOST:PORT`, also with a path, to which the path of the hint is added.
  static func check(_ address: String) throws(CommandFailure) {
    let lower = address.lowercased()
    let isPlain = address.utf8.allSatisfy { $0 > 32 && $0 < 127 } && address.utf8.count <= addressBytesMost
    let hasHost = ["http://", "https://"].contains {
      lower.hasPrefix($0) && lower.dropFirst($0.count).first.map { $0 != "/" } ?? false
    }
    try require(
      isPlain && hasHost && !address.contains("?") && !address.contains("#"), .wrongUsage,
      "--hint-url must be an address such as http://127.0.0.1:8080, without a query")
  }

  /// lspd writes its address when it starts, so each question reads it anew.
  private var address: String? {
    if let named { return named }
    let text = Self.read(phone.lspdHTTP)
    return text.flatMap { (try? Self.check($0)) == nil ? nil : $0 }
  }

  /// Of lspd's own user, for lspd alone.
  private var headers: [String] {
    guard named == nil, let token = Self.read(phone.lspdHTTPToken) else { return [] }
    return ["Authorization: Bearer \(token)"]
  }

  private static func read(_ path: String) -> String? {
    guard let bytes = try? SmallFile.readOwn(path, limit: addressBytesMost) else { return nil }
    return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
  }

  func ask(
    about recipient: PublicKey, amountMsat: UInt64,
    _ end: @escaping (Result<ForwardingHint, HintFailure>) -> Void
  ) {
    guard var address else { return end(.failure(.unreachable)) }
    while address.hasSuffix("/") { address.removeLast() }
    client.get(
      "\(address)/lsp/forwarding_hint?recipient=\(recipient.hex)&amount_msat=\(amountMsat)",
      headers: headers, within: SenderMachine.hintPatience, largest: Self.bytesMost
    ) { end(Self.read($0)) }
  }

  private static func read(_ answer: Result<HTTPAnswer, HTTPFailure>) -> Result<ForwardingHint, HintFailure> {
    switch answer {
    case .failure(.unreachable), .failure(.forbidden): return .failure(.unreachable)
    case .failure(.timedOut): return .failure(.silent)
    case .failure(.tooLarge): return .failure(.tooLong)
    case .success(let answer):
      guard answer.status == 200 else { return .failure(.refused(status: answer.status)) }
      do throws(ForwardingHintError) {
        return .success(try ForwardingHint(parsing: answer.body))
      } catch { return .failure(.noHint(error)) }
    }
  }
}
