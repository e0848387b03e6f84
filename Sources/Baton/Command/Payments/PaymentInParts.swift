import Ground
import DaemonRuntime
import PhonePolicy

/// A payment in parts: each part is one request to the peer. The payment is settled when all parts are, and failed as
/// soon as one is.
struct PaymentInParts {
  fileprivate struct Part {
    var amountMsat: UInt64
    /// The first part is always needed.
    var isFirst: Bool
    var request: ControlMessage?
    var answer: PaymentAnswer?

    var isOpen: Bool { answer.map { !$0.isFailure && !$0.isSettled } ?? false }
    /// The peer refused the part: parts of another sender complete the payment.
    var isNotNeeded: Bool { !isFirst && answer?.isFailure == true && answer?.isOfPaymentUnderWay == true }

    var document: PaymentDocument.Part {
      PaymentDocument.Part(
        amountMsat: amountMsat, payment: answer?.payment.flatMap { Int64($0) },
        state: isNotNeeded ? "not-needed" : answer?.state ?? "not-sent", code: answer?.code)
    }
  }

  private static let answerTimeout = TimeSpan.seconds(30)

  private let invoice: PayableInvoice
  private let invocation: Invocation
  private var parts: [Part]
  /// No outcome came in time.
  private var isLate = false

  init(_ invoice: PayableInvoice, parts count: UInt64, _ invocation: Invocation) throws(CommandFailure) {
    try require(
      invoice.mayComeInParts, .wrongUsage, "the invoice does not allow a payment in parts; omit --parts")
    let amounts = try require(
      PayableInvoice.amounts(of: invoice.amountMsat, in: count), .wrongUsage,
      "\(HumanText.amount(msat: invoice.amountMsat)) cannot be split into \(count) parts; use fewer")
    self.invoice = invoice
    self.invocation = invocation
    parts = amounts.enumerated().map { Part(amountMsat: $1, isFirst: $0 == 0) }
  }

  mutating func run(waits: Bool) throws -> ExitCode {
    let start = Clock.monotonicNow
    if let earlier = try earlierPayment() {
      invocation.output.say("nothing was sent: \(earlier.meaning)", json: document(none: earlier))
      return .paymentFailed
    }
    let apart = invocation.line.span("--apart") ?? .zero
    for index in parts.indices {
      if index > 0, apart > .zero {
        _ = try EventLoop().run(for: apart) { false }
        lookBack(before: index)
        if isFailed { break }
      }
      guard try send(index) else { break }
      // Also between two parts a signal may come.
      PayInterruption.handle(isJSON: invocation.output.isJSON)
      if isFailed || parts[index].isNotNeeded { break }
    }
    let held = parts.compactMap { $0.answer?.heldFor }.max()
    let end = Clock.monotonicNow + PaymentLoad.timeout(invocation.line, hold: held)
    if waits && !isFailed { try waitForEnd(until: end) }
    if isFailed || parts.contains(where: \.isNotNeeded) { lookAgain() }
    if waits && !isFailed { try waitForEnd(until: end) }
    isLate = waits && !isFailed && !isSettled
    let took = Clock.monotonicNow - start
    invocation.output.say(sentence(took), json: document(took))
    return isFailed ? .paymentFailed : isLate ? .tooSlow : .done
  }

  /// False if lspd has not got it, but an earlier part: without this one the wallet gives that back.
  private mutating func send(_ index: Int) throws -> Bool {
    let request = invoice.payRequest(
      partMsat: parts[index].amountMsat, waits: false, holdSeconds: invocation.line.integer("--hold-seconds"))
    do {
      let answer = try invocation.phone.pay(request, timeout: Self.answerTimeout)
      parts[index].request = request
      note(answer, index)
      return true
    } catch let failure as CommandFailure where failure.code == .daemonMissing && index > 0 {
      invocation.output.remark("\(name(of: index)): not sent, as the connection to lspd broke")
      return false
    } catch let error as ControlClientError where index > 0 || error.leavesOutcomeUnknown {
      throw ControlClientError.unknown(after: error)
    }
  }

  /// An earlier payment of this invoice: with its pending parts, some of these parts would already complete it.
  private func earlierPayment() throws -> PaymentAnswer? {
    let question = ControlMessage("await", ["payment-hash": invoice.paymentHash.hex, "wait": "no"])
    do {
      var earlier = try ask(question)
      guard !earlier.isFailure else { return nil }
      earlier.reason = earlier.isSettled ? "already-paid" : "already-pending"
      return earlier
    } catch ControlClientError.refused {
      // The peer knows no such payment.
      return nil
    }
  }

  /// Asks for the open parts' state again: they may have failed or settled since.
  private mutating func lookAgain() {
    for index in parts.indices where parts[index].isOpen {
      // Without an answer the part keeps its last state.
      guard let answer = try? ask(question(about: index, waits: false)) else { continue }
      if answer.state != parts[index].answer?.state { note(answer, index) }
    }
  }

  /// Checks the earlier parts: after a failure no further part is sent.
  private mutating func lookBack(before index: Int) {
    for earlier in 0..<index where parts[earlier].isOpen && !isFailed {
      // Without an answer the part keeps its last state.
      let answer = try? look(at: earlier, timeout: Self.answerTimeout)
      if let answer, answer.isFailure { note(answer, earlier) }
    }
  }

  /// What became of the part; lspd may be restarted meanwhile.
  private func look(at index: Int, timeout: TimeSpan) throws -> PaymentAnswer? {
    guard let request = parts[index].request else { return nil }
    return try invocation.phone.outcome(of: request, waits: false, timeout: timeout)
  }

  /// Waits for all open parts. After a lost connection lspd is asked again.
  private mutating func waitForEnd(until end: Instant) throws {
    while parts.contains(where: \.isOpen), !isFailed, !isSettled {
      do {
        do { try waitOnOneConnection(until: end) } catch ControlClientError.hungUp, ControlClientError
          .notRunning
        {
          for index in parts.indices where parts[index].isOpen {
            let answer = try look(at: index, timeout: end - Clock.monotonicNow)
            if let answer, answer.isFailure || answer.isSettled { note(answer, index) }
          }
        }
      } catch let error as ControlClientError {
        // The parts that are sent stay pending.
        if case .timedOut = error { return }
        return invocation.output.remark("\(error)")
      }
    }
  }

  /// Any of the open parts may be the first to fail.
  private mutating func waitOnOneConnection(until end: Instant) throws {
    let peer = try invocation.phone.connect(to: .lspd)
    for index in parts.indices where parts[index].isOpen {
      try peer.send(question(about: index, waits: true))
    }
    while !isFailed && !isSettled {
      let message = try peer.receive(timeout: end - Clock.monotonicNow)
      if let sentence = message.errorSentence { throw ControlClientError.refused(sentence) }
      let answer = PaymentAnswer(message)
      guard let index = parts.firstIndex(where: { $0.answer?.payment == answer.payment }) else {
        throw CommandFailure(.bugOfOurs, "lspd answered about a payment that it was not asked about")
      }
      note(answer, index)
    }
  }

  private func question(about index: Int, waits: Bool) -> ControlMessage {
    var question = ControlMessage("await", ["wait": waits ? "yes" : "no"])
    question["attempt-id"] = parts[index].request?["attempt-id"]
    return question
  }

  private func ask(_ message: ControlMessage) throws -> PaymentAnswer {
    PaymentAnswer(try invocation.phone.ask(.lspd, message, timeout: Self.answerTimeout))
  }

  private mutating func note(_ answer: PaymentAnswer, _ index: Int) {
    parts[index].answer = answer
    guard !invocation.output.isJSON else { return }
    invocation.output.say("\(name(of: index)): \(Self.words(parts[index], answer))")
  }

  private func name(of index: Int) -> String {
    "part \(index + 1) of \(parts.count), \(HumanText.amount(msat: parts[index].amountMsat))"
  }

  private static func words(_ part: Part, _ answer: PaymentAnswer) -> String {
    if part.isNotNeeded { return "not needed, other parts complete this payment" }
    return switch answer.state {
    case "held": "held; the wallet is offline; \(answer.wakingWords)"
    case "offered": "offered to the wallet"
    case "failed": answer.failureSentence
    default: answer.state
    }
  }

  // MARK: Outcome

  private var sent: [Part] { parts.filter { $0.answer != nil && !$0.isNotNeeded } }
  /// The wallet takes all parts or none: with one part settled the payment is settled.
  private var settled: PaymentAnswer? { sent.compactMap(\.answer).last(where: \.isSettled) }
  private var isSettled: Bool { settled != nil && !sent.contains(where: \.isOpen) }
  private var isFailed: Bool { failed != nil }
  private var failed: PaymentAnswer? {
    settled == nil ? sent.compactMap(\.answer).first(where: \.isFailure) : nil
  }

  private func sentence(_ took: TimeSpan) -> String {
    if let failed { return "\(failed.failureSentence)\(wayBack)" }
    if isSettled, let settled { return settled.sentence(invoice, took: took) }
    if isLate { return PaymentAnswer.pending(took) }
    let held = parts.filter { $0.answer?.state == "held" }.count
    let waking = parts.compactMap(\.answer).last { $0.state == "held" }?.wakingWords ?? ""
    return held > 0
      ? "held: the wallet is offline; \(waking), and holds \(held) of \(parts.count) parts"
      : "offered: \(HumanText.count(sent.count, "part")) \(sent.count == 1 ? "is" : "are") in the wallet's channel"
  }

  /// A pending HTLC cannot be recalled.
  private var wayBack: String {
    let open = parts.count(where: \.isOpen)
    guard open > 0 else { return "" }
    return
      "; \(HumanText.count(open, "other part")) \(open == 1 ? "is" : "are") failed back when the wallet stops waiting for the missing parts"
  }

  private var state: String {
    isFailed
      ? "failed"
      : isSettled
        ? "settled" : isLate ? "pending" : parts.contains { $0.answer?.state == "held" } ? "held" : "offered"
  }

  /// `earlier`: the payment for which nothing was sent.
  private func document(_ took: TimeSpan? = nil, none earlier: PaymentAnswer? = nil) -> PaymentDocument {
    var document = PaymentDocument(earlier == nil ? state : "not-sent", of: invoice, took: took)
    document.preimage = isSettled ? settled?.preimage : nil
    let cause = failed ?? earlier
    document.code = cause?.code
    document.codeName = cause?.failure?.name
    document.reason = cause?.reason
    document.meaning = cause?.meaning
    document.parts = parts.map(\.document)
    return document
  }
}
