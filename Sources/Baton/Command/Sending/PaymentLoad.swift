import DaemonRuntime
import Ground
import PhonePolicy
import Lightning

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
        "interrupted by \(interruption.name): \(open) may still settle, and go on without this command; `baton payments` shows how they end"
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
    return [
      "\(payments) at \(rate) per second with \(attempts) in \(HumanText.span(took)): \(tally.counts)"
    ] + tally.failures.map { "\(HumanText.count($0.count, "payment")) \($0.sentence)" }
      + (tally.settled.isEmpty
        ? [] : ["from the first attempt to the preimage: \(tally.percentiles.sentence)"])
  }

  struct Document: Report {
    struct Failure: Report {
      var sentence: String
      var payments: Int
    }

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
    var failures: [Failure]
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
      failures: tally.failures.map { .init(sentence: $0.sentence, payments: $0.count) },
      medianUs: microseconds(50), p90Us: microseconds(90), p95Us: microseconds(95), p99Us: microseconds(99),
      longestUs: microseconds(100), tookMs: took.wholeMilliseconds)
  }
}
