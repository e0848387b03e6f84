import Ground
import LightningProvider
import Lightning

// Senders that try again, on the peer's clock, and what they are promised.
extension World {
  /// The user of the sender's wallet pays the invoice, or asks again after a failure.
  mutating func beginRetrying(_ invoice: Int) {
    let number = senders.sender(of: invoice, settings.retries, spendableMsat: settings.sendersHaveMsat)
    tellSender(
      number,
      .started(invoiceExpiresAt: invoices[invoice].expiresAt, amountMsat: invoices[invoice].amountMsat))
  }

  mutating func senderWakes(_ number: Int) {
    guard senders.all.indices.contains(number) else { return }
    tellSender(number, .deadlineReached)
  }

  /// After each answer of the peer.
  mutating func tellSender(ofPayment payment: UInt64, _ outcome: PaymentOutcome) {
    guard let number = senders.number(ofPayment: payment), let answer = outcome.attemptAnswer else { return }
    tellSender(number, .attemptAnswered(attempt: senders.all[number].machine.attempt, answer))
  }

  private mutating func tellSender(_ number: Int, _ event: SenderEvent) {
    for directive in senders.handle(number, event, at: peerNow) {
      switch directive {
      case .attempt: attempt(number)
      case .find(let attempt):
        tellSender(
          number,
          isPeerDown
            ? .attemptLost(attempt: attempt) : .attemptFound(attempt: attempt, fate(number)))
      case .askHint(let attempt):
        tellSender(number, hint(number, attempt))
      case .report(let report):
        switch report {
        case .retrying, .skipped: break
        case .settled, .failed, .pending, .alreadyPending, .alreadyPaid, .refused:
          senders.note(number, told: report)
          checkTold(number, report)
        }
      }
    }
  }

  /// The peer's hint. Without one the sender falls back to its schedule.
  private func hint(_ number: Int, _ attempt: Int) -> SenderEvent {
    guard !isPeerDown, !settings.losesHints || (number + attempt) % 4 != 3 else {
      return .hintFailed(attempt: attempt, .unreachable)
    }
    let amountMsat = invoices[senders.all[number].invoice].amountMsat
    let hint = peer.part { $0.pointee.hint(forAmountMsat: amountMsat, at: peerNow) }
    return .hintAnswered(attempt: attempt, hint)
  }

  private mutating func attempt(_ number: Int) {
    if isPeerDown {
      let attempt = senders.all[number].machine.attempt
      return tellSender(number, .attemptAnswered(attempt: attempt, .notSent(.notRunning)))
    }
    let invoice = senders.all[number].invoice
    let hash = invoices[invoice].invoice.paymentHash
    if peer.part({ $0.pointee.state.payments.contains { $0.request.paymentHash == hash } }) {
      report(.senderKnows, "A sender begins an attempt while an earlier one is under way.")
    }
    senders.note(number, told: nil)
    let payment = numbers.payment()
    senders.note(number, payment: payment)
    request(invoice, part: 1, of: 1, as: payment)
  }

  /// The peer has restarted: its senders' connections are broken.
  mutating func breakSenderLinks() {
    for number in senders.all.indices where settings.retries != .off {
      tellSender(number, .attemptLost(attempt: senders.all[number].machine.attempt))
    }
  }

  /// What the peer knows of the sender's newest attempt.
  private func fate(_ number: Int) -> AttemptFate {
    guard let id = senders.all[number].payments.last else { return .neverArrived }
    if peer.part({ $0.pointee.state.payments.contains { $0.request.id == id } }) { return .inFlight }
    switch payments.first(where: { $0.id == id })?.state {
    case .paid?: return .ended(.settled)
    case .failed?: return .ended(.failed(FailureCode(rawValue: FailureCode.temporaryChannelFailure)))
    default: return .neverArrived
    }
  }

  // MARK: Checks

  private mutating func checkTold(_ number: Int, _ report: SenderReport) {
    let invoice = senders.all[number].invoice
    let hash = invoices[invoice].invoice.paymentHash
    let isPaid = payments.contains { $0.invoice == invoice && $0.state == .paid }
    let isUnderWay = peer.part { $0.pointee.state.payments.contains { $0.request.paymentHash == hash } }
    switch report {
    case .failed where isPaid: self.report(.senderKnows, "A sender is told “failed” of a settled payment.")
    case .failed where isUnderWay:
      self.report(.senderKnows, "A sender is told “failed” while its payment is under way.")
    case .pending where !isUnderWay:
      self.report(.senderKnows, "A sender is told “pending”, but no payment is under way.")
    default: break
    }
  }

  /// A payment to the wallet has settled.
  mutating func checkPaidOnce(_ payment: UInt64) {
    guard let paid = payments.last(where: { $0.id == payment }) else { return }
    let sum = payments.filter { $0.invoice == paid.invoice && $0.state == .paid }.reduce(0) {
      $0 + $1.amountMsat
    }
    if sum > invoices[paid.invoice].amountMsat {
      report(.senderKnows, "A sender pays twice for one invoice.")
    }
    guard let number = senders.number(ofInvoice: paid.invoice) else { return }
    if case .failed? = senders.all[number].told {
      report(.senderKnows, "A payment settles after its sender was told “failed”.")
    }
  }

  mutating func checkSendersAtTheEnd() {
    guard violation == nil, !isStateLost else { return }
    for sender in senders.all {
      let isPaid = payments.contains { $0.invoice == sender.invoice && $0.state == .paid }
      switch sender.told {
      case .settled? where isPaid: break
      case .failed? where !isPaid: break
      case nil, .settled?, .failed?, .pending?, .retrying?, .skipped?, .alreadyPending?, .alreadyPaid?,
        .refused?:
        report(.senderKnows, "At the end a sender was told another outcome than the real one.")
      }
    }
  }
}
