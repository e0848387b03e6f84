import DaemonRuntime
import Ground
import PhoneClient
import Reports
import Sender
import Terminal

/// `baton pay --count`: many payments of new invoices at a steady rate, and how long they took.
final class PaymentLoad {
  private let phone: Phone
  private let output: Output
  private let loop: EventLoop
  private let retry: RetryOptions
  private let hints: HintServer
  private let holdSeconds: Int64?
  private let count: Int
  private let interval: TimeSpan
  private let rate: Int64
  /// lspd serves 128 connections.
  private static let openMost = 100

  private var open: [Int: (sending: Sending, start: Instant)] = [:]
  /// Due, and waiting for one that is open to end.
  private var due: [(number: Int, invoice: PayableInvoice, start: Instant)] = []
  private var begun = 0
  private var settled: [TimeSpan] = []
  private var failed = 0
  private var pending = 0
  private var attempts = 0
  private var refusal: ControlClientError?

  init(_ retry: RetryOptions, count: Int, rate: Int64, _ invocation: Invocation) throws {
    phone = try invocation.phone
    output = invocation.output
    loop = try EventLoop()
    self.retry = retry
    self.count = count
    self.rate = rate
    interval = TimeSpan(nanoseconds: 1_000_000_000 / max(1, rate))
    holdSeconds = retry.holdSeconds(invocation.line)
    hints = try HintServer(named: retry.hintURL, phone: phone, loop: loop)
  }

  func run(amountMsat: UInt64) throws -> ExitCode {
    let driver = try PhoneDriver(phone)
    let invoices = try (0..<count).map {
      try driver.makeInvoice(amountMsat: amountMsat, text: "load \($0 + 1)")
    }
    let start = loop.now
    for (number, invoice) in invoices.enumerated() {
      // From the start, so that a late payment does not delay the next ones.
      loop.at(start + TimeSpan(nanoseconds: interval.nanoseconds * Int64(number))) { [unowned self] in
        due.append((number, invoice, loop.now))
        beginDue()
      }
    }
    _ = try loop.run(for: .seconds(2 * 86_400)) { refusal != nil || (begun == count && open.isEmpty) }
    if let refusal { throw refusal }
    let took = loop.now - start
    if output.isJSON {
      output.say(document(took))
    } else {
      output.say(
        "\(HumanText.count(count, "payment")) at \(rate) per second with \(HumanText.count(attempts, "attempt")) in \(HumanText.span(took)): \(settled.count) settled, \(failed) failed, \(pending) pending"
      )
      output.say("from the first attempt to the preimage: \(SpanPercentiles(settled).sentence)")
    }
    if pending > 0 { return .tooSlow }
    return failed > 0 ? .paymentFailed : .done
  }

  private func beginDue() {
    while open.count < Self.openMost, !due.isEmpty {
      let next = due.removeFirst()
      begin(next.number, next.invoice, since: next.start)
    }
  }

  private func begin(_ number: Int, _ invoice: PayableInvoice, since start: Instant) {
    begun += 1
    let sending = Sending(
      invoice, retry.settings(number), holdSeconds: holdSeconds, hints: hints, phone: phone, loop: loop)
    open[number] = (sending, start)
    sending.onEvent = { [unowned self] event in
      switch event {
      case .began, .held, .failed, .report(.retrying), .report(.skipped): break
      case .report(let report): ended(number, report)
      case .refused(let error): refusal = error
      }
    }
    sending.start()
  }

  private func ended(_ number: Int, _ report: SenderReport) {
    guard let (sending, start) = open.removeValue(forKey: number) else { return }
    attempts += sending.attempts
    let took = loop.now - start
    switch report {
    case .settled: settled.append(took)
    case .pending, .alreadyPending: pending += 1
    case .failed, .alreadyPaid, .retrying, .skipped: failed += 1
    }
    sending.stop()
    // It is still at work in this call.
    loop.post { [self] in
      _ = sending
      beginDue()
    }
  }

  // MARK: Outcome

  struct Document: Report {
    var payments: Int
    var ratePerSecond: Int64
    var attempts: Int
    var settled: Int
    var failed: Int
    /// Under way at their deadline.
    var pending: Int
    /// Of the settled ones, from the first attempt to the preimage.
    var medianUs: Int64
    var p90Us: Int64
    var p99Us: Int64
    var longestUs: Int64
    var tookMs: Int64
  }

  private func document(_ took: TimeSpan) -> Document {
    let waits = SpanPercentiles(settled)
    func microseconds(_ percent: Int) -> Int64 { waits[percent].nanoseconds / 1000 }
    return Document(
      payments: count, ratePerSecond: rate, attempts: attempts, settled: settled.count, failed: failed,
      pending: pending, medianUs: microseconds(50), p90Us: microseconds(90), p99Us: microseconds(99),
      longestUs: microseconds(100), tookMs: took.wholeMilliseconds)
  }
}
