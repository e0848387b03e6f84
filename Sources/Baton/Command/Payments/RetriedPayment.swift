import DaemonRuntime
import Lightning
import Glibc
import Ground
import PhonePolicy

/// `baton pay --retry`: one payment, its progress and its outcome.
final class RetriedPayment {
  private let sending: Sending
  private let output: Output
  private let loop: EventLoop
  private let settings: SenderSettings
  private let hasButton: Bool
  private var start = Clock.monotonicNow
  private var outcome: SenderReport?

  init(_ invoice: PayableInvoice, _ retry: RetryOptions, _ invocation: Invocation) throws {
    loop = try EventLoop()
    let phone = try invocation.phone
    settings = retry.settings()
    hasButton = retry.hasButton
    output = invocation.output
    sending = Sending(
      invoice, settings, holdSeconds: retry.holdSeconds(invocation.line),
      hints: try HintServer(named: retry.hintURL, phone: phone, loop: loop), phone: phone, loop: loop)
  }

  func run() throws -> ExitCode {
    sending.onEvent = { [unowned self] in tell($0) }
    while true {
      let outcome = try payOnce()
      let took = Clock.monotonicNow - start
      if case .refused(let sentence) = outcome { throw ControlClientError.refused(sentence) }
      if output.isJSON {
        output.say(document(outcome, took))
      } else {
        for line in lines(outcome, took) { output.say(line) }
      }
      guard case .failed(let failure) = outcome, SenderMessage(failure).button != nil, hasButton,
        isButtonPressed()
      else { return Self.exitCode(outcome) }
    }
  }

  private func payOnce() throws -> SenderReport {
    outcome = nil
    start = Clock.monotonicNow
    sending.start()
    // Longer than any payment; the deadline comes first.
    _ = try loop.run(for: .seconds(86_400)) { outcome != nil }
    sending.stop()
    guard let outcome else { throw CommandFailure(.tooSlow, "the payment has no outcome after a day") }
    return outcome
  }

  /// Nothing is under way meanwhile, so ^C ends the command as ever.
  private func isButtonPressed() -> Bool {
    PayInterruption.stop()
    return readLine() != nil
  }

  private static func exitCode(_ outcome: SenderReport) -> ExitCode {
    switch outcome {
    case .settled: .done
    case .pending, .alreadyPending: .tooSlow
    case .failed, .alreadyPaid, .refused, .retrying, .skipped: .paymentFailed
    }
  }

  // MARK: Progress

  struct Progress: Report {
    /// attempt, held, lost, failed, retry or skipped.
    var event: String
    /// Since the start.
    var afterMs: Int64
    var attempt: Int
    var attempts: Int
    var code: String?
    var codeName: String?
    var failureClass: String?
    /// Why nothing was sent, or lspd's sentence about a lost attempt.
    var meaning: String?
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
      PayInterruption.handle(isJSON: output.isJSON)
      (progress.event, progress.attempt) = ("attempt", attempt)
      if output.isJSON { output.say(progress) }
    case .held(let answer):
      progress.event = "held"
      output.say(answer.pendingSentence ?? "", json: progress)
    case .lost(let attempt, let sentence):
      (progress.event, progress.attempt, progress.meaning) = ("lost", attempt, sentence)
      output.say(
        "attempt \(attempt) of \(settings.attempts): \(sentence ?? "the connection to lspd broke"); lspd is asked what became of it",
        json: progress)
    case .failed(let attempt, let answer):
      let failed = SenderFailure(answer)
      (progress.event, progress.attempt) = ("failed", attempt)
      progress.code = failed.code?.description
      progress.codeName = failed.code?.name
      progress.failureClass = failed.failure.rawValue
      progress.meaning = failed.notSent?.description
      output.say("attempt \(attempt) of \(settings.attempts) \(failed.sentence)", json: progress)
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
    }
  }

  // MARK: Outcome

  private func lines(_ outcome: SenderReport, _ took: TimeSpan) -> [String] {
    switch outcome {
    case .settled: return [sending.answer?.sentence(sending.invoice, took: took) ?? "settled"]
    case .pending:
      let state =
        sending.isLost
        ? "lspd does not say what became of attempt \(sending.attempts)"
        : "attempt \(sending.attempts) has no answer"
      return [
        "pending: \(state) after \(HumanText.span(took)), and the payment may still settle; nothing was sent twice; `baton list payments` shows how it ends"
      ]
    case .alreadyPending:
      return ["pending: an earlier payment of this invoice is under way, and nothing more was sent"]
    case .alreadyPaid: return ["nothing was sent: this invoice is paid already; ask for a new one"]
    case .failed(let failure):
      let message = SenderMessage(failure)
      let attempts = HumanText.count(failure.attempts, "attempt")
      let next = hasButton ? "press Enter" : "repeat the command, or add --button"
      let button = message.button.map {
        "\($0): \(next); it begins anew, with a new deadline of \(HumanText.span(settings.deadline ?? .zero))"
      }
      return [
        "\(failure.sentence) after \(attempts) in \(HumanText.span(took))",
        output.paint("\u{26a0} \(message.headline)", .orange), message.text,
      ] + (button.map { [$0] } ?? [])
    case .refused, .retrying, .skipped: return ["failed"]
    }
  }

  private func document(_ outcome: SenderReport, _ took: TimeSpan) -> PaymentDocument {
    var document = PaymentDocument("failed", of: sending.invoice, took: took)
    document.attempts = sending.attempts
    document.seed = settings.seed
    switch outcome {
    case .settled:
      document.state = "settled"
      document.preimage = sending.answer?.preimage
    case .pending: document.state = "pending"
    case .alreadyPending: (document.state, document.reason) = ("pending", "already-pending")
    case .alreadyPaid: (document.state, document.reason) = ("not-sent", "already-paid")
    case .failed(let failure): document.add(failure)
    case .refused, .retrying, .skipped: break
    }
    return document
  }
}

extension PaymentDocument {
  fileprivate mutating func add(_ failure: SenderFailure) {
    let message = SenderMessage(failure)
    code = failure.code?.description
    meaning = failure.notSent?.description
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
  /// Such as `failed with temporary_channel_failure (0x1007)`, or why nothing was sent.
  var sentence: String {
    if let notSent { return "failed with \(failure.rawValue): \(notSent)" }
    return "failed with \(code?.words ?? failure.rawValue)"
  }
}
