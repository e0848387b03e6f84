import Ground
import Lightning

// Incoming payments: offered while the wallet is connected, else held until `holdUntil`.
extension PeerMachine {
  mutating func payRequested(_ request: PaymentRequest, at now: Instant) -> [PeerDirective] {
    if let failure = refusal(of: request) { return [.answer(payment: request.id, .failed(failure))] }
    var step = PeerStep(changes: [.paymentHeld(request)])
    let isCalled = isCalled(for: request.paymentHash, at: now)
    append(request)
    forgetEndedHold(of: request.paymentHash, &step)
    if let order = state.orderedFailures {
      state.orderedFailures = order.afterOne
      step.changes.append(.orderedFailureUsed)
      fail(request.id, .onOrder(code: order.code), &step)
      return step.directives
    }
    if let connection = registered, state.channel.isReestablished {
      calls.noteNews()
      advance(on: connection, &step, isChanged: false, at: now)
    } else if request.holdUntil <= now {
      fail(request.id, .recipientAway, &step)
      announceUnheld(request, &step)
    } else {
      // A new payment resets the interval between pushes, also for the payments that already wait.
      calls.noteNews()
      if !isCalled { call(for: state.payments.count - 1, at: now, &step) }
    }
    if state.payments.last?.request.id == request.id, state.payments.last?.isHeld == true {
      step.afterwards.append(.answer(payment: request.id, .held))
    }
    return step.directives
  }

  mutating func failuresOrdered(_ order: OrderedFailures) -> [PeerDirective] {
    state.orderedFailures = order.left > 0 ? order : nil
    return [.store([.failuresOrdered(order)])]
  }

  /// A payment whose time is over is not offered any more, also if the wallet's message came first.
  mutating func endDueHolds(_ step: inout PeerStep, at now: Instant) {
    for payment in state.payments where payment.isHeld && payment.request.holdUntil <= now {
      fail(payment.request.id, .recipientAway, &step)
    }
  }

  /// Requests a push for this payment.
  mutating func call(for index: Int, at now: Instant, _ step: inout PeerStep) {
    let payment = state.payments[index]
    state.payments[index].calledAt = now
    noteAnnounced(payment.request.paymentHash)
    calls.noteCall(at: now)
    // In place of a push of the LSP's own.
    guard !hasWebhooks else { return notify(.paymentIncoming, &step, at: now) }
    step.afterwards += pushes(
      for: payment.request, payment.isHeld ? .incomingPayment : .pendingSettlement,
      holdUntil: payment.isHeld ? payment.request.holdUntil : nil)
  }

  /// Whether a push for a part of this payment may still be on its way: one push is enough for all parts.
  private func isCalled(for paymentHash: Bytes32, at now: Instant) -> Bool {
    state.payments.contains { payment in
      guard payment.isHeld, payment.request.paymentHash == paymentHash, let calledAt = payment.calledAt
      else { return false }
      return now < calledAt + WalletCalls.callBound
    }
  }

  private func refusal(of request: PaymentRequest) -> PaymentFailure? {
    if request.amountMsat == 0 { return .amountIsZero }
    if let payee = request.payee, let wallet = state.wallet, payee != wallet { return .anotherPayee }
    if state.isPaid(request.paymentHash) { return .alreadyPaid }
    // A failed channel takes no payment.
    if state.failure != nil { return .channelFailed }
    if state.payments.count >= Self.paymentLimit { return .tooManyPending }
    return isPending(request) ? .alreadyPending : nil
  }

  /// Whether a payment of this hash is pending: another one is refused, unless both are parts of one payment and the
  /// total is not reached yet.
  private func isPending(_ request: PaymentRequest) -> Bool {
    let pending = state.payments.map(\.request).filter { $0.paymentHash == request.paymentHash }
    if state.payments.contains(where: { $0.request.id == request.id }) { return true }
    guard !pending.isEmpty else { return false }
    guard let data = request.paymentData, pending.allSatisfy({ $0.paymentData == data }) else { return true }
    // The sender chooses the total: this subtracts, as a sum could overflow.
    var missing = data.totalMsat
    for part in pending { missing -= min(missing, part.amountMsat) }
    return request.amountMsat > missing
  }

  /// Offers the held payments that the channel takes, the oldest first.
  mutating func offerHeld(_ step: inout PeerStep) {
    guard state.channel.mayUpdate else { return }
    for request in state.payments.filter(\.isHeld).map(\.request) {
      do throws(ChannelError) {
        let htlc = try state.channel.offer(
          amountMsat: request.amountMsat, paymentHash: request.paymentHash, cltvExpiry: HTLC.chainlessExpiry,
          paymentData: request.paymentData)
        for index in state.payments.indices where state.payments[index].request.id == request.id {
          state.payments[index].state = .offered(htlc: htlc)
        }
        step.changes.append(.paymentOffered(payment: request.id, htlc: htlc))
        step.afterwards.append(.answer(payment: request.id, .offered))
      } catch .tooManyHTLCs {
        // The payment stays held until an HTLC is settled, or until its deadline.
        return
      } catch { fail(request.id, .noBalance, &step) }
    }
  }

  mutating func fail(_ payment: UInt64, _ failure: PaymentFailure, _ step: inout PeerStep) {
    let failed = state.payments.first { $0.request.id == payment }
    state.payments.removeAll { $0.request.id == payment }
    step.changes.append(.paymentFailed(payment: payment, failure))
    if let failed, failed.isHeld { holdEnded(failed.request, failure, &step) }
    step.afterwards.append(.answer(payment: payment, .failed(failure)))
  }
}

/// Why a payment fails, as reported to the sender.
public enum PaymentFailure: Hashable, Codable, Sendable {
  /// The wallet did not connect in time.
  case recipientAway
  /// The wallet's channel has failed for good.
  case channelFailed
  case noBalance
  case amountIsZero
  /// A payment of the same hash is pending.
  case alreadyPending
  case alreadyPaid
  /// The limit on pending payments is reached.
  case tooManyPending
  case refusedByRecipient(code: UInt16)
  /// The payee is another node than the wallet's, and there is no route to it.
  case anotherPayee
  /// A user has ordered it.
  case onOrder(code: UInt16)

  /// The closest failure code of BOLT 4.
  public var code: UInt16 {
    switch self {
    case .recipientAway, .noBalance, .tooManyPending: FailureCode.temporaryChannelFailure
    case .channelFailed: FailureCode.channelDisabled
    case .amountIsZero: FailureCode.amountBelowMinimum
    case .alreadyPending, .alreadyPaid: FailureCode.incorrectOrUnknownPaymentDetails
    case .refusedByRecipient(let code), .onOrder(let code): code
    case .anotherPayee: FailureCode.unknownNextPeer
    }
  }

  public var word: String {
    switch self {
    case .recipientAway: "recipient-away"
    case .channelFailed: "channel-failed"
    case .noBalance: "no-balance"
    case .amountIsZero: "amount-is-zero"
    case .alreadyPending: "already-pending"
    case .alreadyPaid: "already-paid"
    case .tooManyPending: "too-many-pending"
    case .refusedByRecipient: "refused-by-recipient"
    case .anotherPayee: "another-payee"
    case .onOrder: "on-order"
    }
  }
}
