import DaemonRuntime
import ForwardingHint
import Ground
import LightningWire
import PhoneClient
import Reports
import Sender
import Terminal

/// `baton pay --retry`: one payment, its progress and its outcome.
final class RetriedPayment {
  private let sending: Sending
  private let output: Output
  private let loop: EventLoop
  private let settings: SenderSettings
  private let start = Clock.monotonicNow
  private var outcome: SenderReport?
  private var refusal: ControlClientError?

  init(_ invoice: PayableInvoice, _ retry: RetryOptions, _ invocation: Invocation) throws {
    loop = try EventLoop()
    let phone = try invocation.phone
    settings = retry.settings()
    output = invocation.output
    sending = Sending(
      invoice, settings, holdSeconds: retry.holdSeconds(invocation.line),
      hints: try HintServer(named: retry.hintURL, phone: phone, loop: loop), phone: phone, loop: loop)
  }

  func run() throws -> ExitCode {
    PayInterruption.handle(isJSON: output.isJSON)
    sending.onEvent = { [unowned self] in tell($0) }
    sending.start()
    // Longer than any payment; the deadline comes first.
    _ = try loop.run(for: .seconds(86_400)) { outcome != nil || refusal != nil }
    sending.stop()
    if let refusal { throw refusal }
    guard let outcome else { throw CommandFailure(.tooSlow, "the payment has no outcome after a day") }
    let took = Clock.monotonicNow - start
    if output.isJSON {
      output.say(document(outcome, took))
    } else {
      for line in lines(outcome, took) { output.say(line) }
    }
    switch outcome {
    case .settled: return .done
    case .pending, .alreadyPending: return .tooSlow
    case .failed, .alreadyPaid, .retrying, .skipped: return .paymentFailed
    }
  }

  // MARK: Progress

  struct Progress: Report {
    /// attempt, held, failed, retry or skipped.
    var event: String
    /// Since the start.
    var afterMs: Int64
    var attempt: Int
    var attempts: Int
    var code: String?
    var codeName: String?
    var failureClass: String?
    /// Until the attempt begins.
    var delayMs: Int64?
    /// From the end of the attempt before until the attempt begins.
    var gapUs: Int64?
    var cause: String?
    var hint: String?
    var reason: String?
  }

  private func tell(_ event: Sending.Event) {
    var progress = Progress(
      event: "", afterMs: (Clock.monotonicNow - start).wholeMilliseconds, attempt: sending.attempts,
      attempts: settings.attempts)
    switch event {
    case .began(let attempt):
      (progress.event, progress.attempt) = ("attempt", attempt)
      if output.isJSON { output.say(progress) }
    case .held(let answer):
      progress.event = "held"
      output.say(answer.heldSentence ?? "", json: progress)
    case .failed(let attempt, let answer):
      let failed = Self.failure(answer)
      (progress.event, progress.attempt) = ("failed", attempt)
      progress.code = failed.code?.description
      progress.codeName = failed.code?.name
      progress.failureClass = failed.failure.rawValue
      output.say(
        "attempt \(attempt) of \(settings.attempts) failed with \(failed.words)", json: progress)
    case .report(.retrying(let retry)):
      (progress.event, progress.attempt) = ("retry", retry.attempt)
      progress.delayMs = retry.after.wholeMilliseconds
      progress.gapUs = retry.gap.nanoseconds / 1000
      progress.cause = retry.cause.description
      if case .hint(let hint) = retry.cause {
        progress.hint = hint.hint.rawValue
        progress.reason = hint.reason.rawValue
      }
      output.say(
        "attempt \(retry.attempt) of \(retry.of) in \(HumanText.span(retry.after)): \(retry.cause)",
        json: progress)
    case .report(.skipped(let attempt)):
      (progress.event, progress.attempt) = ("skipped", attempt)
      output.say("attempt \(attempt) skipped: it would begin after the deadline", json: progress)
    case .report(let report): outcome = report
    case .refused(let error): refusal = error
    }
  }

  private static func failure(_ answer: AttemptAnswer) -> SenderFailure {
    var failure = SenderFailure(failure: .routeNotFound, code: nil, attempts: 0, end: .final)
    switch answer {
    case .failed(let code): (failure.failure, failure.code) = (FailureClass(code), code)
    case .notSent(let reason): failure.failure = reason
    case .settled, .alreadyPending, .alreadyPaid: break
    }
    return failure
  }

  // MARK: Outcome

  private func lines(_ outcome: SenderReport, _ took: TimeSpan) -> [String] {
    switch outcome {
    case .settled: return [sending.answer?.sentence(sending.invoice, took: took) ?? "settled"]
    case .pending:
      return [
        "pending: attempt \(sending.attempts) has no answer after \(HumanText.span(took)), and the payment may still settle; nothing was sent twice; `baton payments` shows how it ends"
      ]
    case .alreadyPending:
      return ["pending: an earlier payment of this invoice is under way, and nothing more was sent"]
    case .alreadyPaid: return ["nothing was sent: this invoice is paid already; ask for a new one"]
    case .failed(let failure):
      let message = SenderMessage(failure)
      let attempts = HumanText.count(failure.attempts, "attempt")
      let button = message.button.map {
        "\($0): repeat the command; it has a new deadline of \(HumanText.span(settings.deadline))"
      }
      return [
        "failed with \(failure.words) after \(attempts) in \(HumanText.span(took))", message.headline,
        message.text,
      ] + (button.map { [$0] } ?? [])
    case .retrying, .skipped: return ["failed"]
    }
  }

  /// The members of `baton pay` without `--retry`, and what a retrying sender adds.
  struct Document: Report {
    /// settled, failed, pending or not-sent.
    var state: String
    var paymentHash: String
    var amountMsat: UInt64
    var preimage: String?
    var code: String?
    var codeName: String?
    var failureClass: String?
    /// already-pending, already-paid, or the hint's reason if a hint has ended the payment.
    var reason: String?
    /// What ended the attempts: final, attempts, deadline or hint.
    var endedBy: String?
    var attempts: Int
    /// What the sender's screen shows.
    var headline: String?
    var text: String?
    var button: String?
    var symbol: String?
    var colour: String?
    var seed: UInt64
    var tookMs: Int64
  }

  private func document(_ outcome: SenderReport, _ took: TimeSpan) -> Document {
    var document = Document(
      state: "failed", paymentHash: sending.invoice.paymentHash.hex, amountMsat: sending.invoice.amountMsat,
      attempts: sending.attempts, seed: settings.seed, tookMs: took.wholeMilliseconds)
    switch outcome {
    case .settled:
      document.state = "settled"
      document.preimage = sending.answer?.preimage
    case .pending: document.state = "pending"
    case .alreadyPending: (document.state, document.reason) = ("pending", "already-pending")
    case .alreadyPaid: (document.state, document.reason) = ("not-sent", "already-paid")
    case .failed(let failure): document.add(failure)
    case .retrying, .skipped: break
    }
    return document
  }
}

extension RetriedPayment.Document {
  fileprivate mutating func add(_ failure: SenderFailure) {
    let message = SenderMessage(failure)
    code = failure.code?.description
    codeName = failure.code?.name
    failureClass = failure.failure.rawValue
    attempts = failure.attempts
    (headline, text, button) = (message.headline, message.text, message.button)
    (symbol, colour) = (message.symbol, message.colour)
    switch failure.end {
    case .final: endedBy = "final"
    case .noMoreAttempts: endedBy = "attempts"
    case .deadline: endedBy = "deadline"
    case .hint(let hint): (endedBy, reason) = ("hint", hint.reason.rawValue)
    }
  }
}

extension SenderFailure {
  /// Such as `temporary_channel_failure (0x1007)`, or the class if nothing was sent.
  fileprivate var words: String { code?.words ?? failure.rawValue }
}
