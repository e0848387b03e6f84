import Ground
import Lightning

// Incoming payments: offered while the wallet is connected, else held until `holdUntil`.
extension PeerMachine {
  mutating func payRequested(_ request: PaymentRequest, at now: Instant, _ step: inout PeerStep) {
    if let failure = refusal(of: request) {
      return step.afterwards.append(.answer(payment: request.id, .failed(failure)))
    }
    step.changes.append(.paymentHeld(request))
    let isCalled = isCalled(for: request.paymentHash, at: now)
    append(request)
    forgetEndedHold(of: request.paymentHash, &step)
    if let order = state.orderedFailures {
      state.orderedFailures = order.afterOne
      step.changes.append(.orderedFailureUsed)
      return fail(request.id, .onOrder(code: order.code), &step)
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
  }

  mutating func failuresOrdered(_ order: OrderedFailures, _ step: inout PeerStep) {
    state.orderedFailures = order.left > 0 ? order : nil
    step.changes.append(.failuresOrdered(order))
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

// Outgoing payments: they take `externalDelay` through the network and end at the invoice's node. The wallet need
// not be connected then: the result waits in the channel.
extension PeerMachine {
  mutating func externalInvoiceMade(_ invoice: ExternalInvoice, _ step: inout PeerStep) {
    guard !state.externalInvoices.contains(where: { $0.paymentHash == invoice.paymentHash }) else { return }
    state.externalInvoices.append(invoice)
    step.changes.append(.externalMade(invoice))
  }

  /// Routes newly committed HTLCs, and fulfills or fails those that have arrived.
  mutating func route(_ step: inout PeerStep, at now: Instant) {
    guard state.channel.mayUpdate else { return }
    let committed = state.channel.committedHTLCs
    routed.removeAll { payment in !committed.contains { $0.id == payment.htlc } }
    for htlc in committed {
      if !routed.contains(where: { $0.htlc == htlc.id }) {
        routed.append(RoutedPayment(htlc: htlc.id, arrivesAt: now + externalDelay))
      }
      guard routed.contains(where: { $0.htlc == htlc.id && $0.arrivesAt <= now }) else { continue }
      routed.removeAll { $0.htlc == htlc.id }
      arrive(htlc, &step)
    }
  }

  private mutating func arrive(_ htlc: HTLC, _ step: inout PeerStep) {
    do throws(ChannelError) {
      guard
        let index = state.externalInvoices.firstIndex(where: {
          $0.paymentHash == htlc.paymentHash && $0.isPaid(by: htlc)
        })
      else { return try state.channel.fail(htlc.id, code: FailureCode.incorrectOrUnknownPaymentDetails) }
      try state.channel.fulfill(htlc.id)
      state.externalInvoices[index].isPaid = true
      step.changes.append(.externalPaid(paymentHash: htlc.paymentHash, htlc: htlc.id))
    } catch {
      // Cannot happen: `committedHTLCs` lists only removable HTLCs. The HTLC stays as it is.
    }
  }

  /// Handles arrivals at a deadline, without a message of the wallet.
  mutating func arrivals(_ step: inout PeerStep, at now: Instant) {
    guard state.channel.mayUpdate, routed.contains(where: { $0.arrivesAt <= now }) else { return }
    let before = state.channel.record
    route(&step, at: now)
    if let connection = registered {
      advance(on: connection, &step, isChanged: state.channel.record != before, at: now)
    } else if state.channel.record != before {
      step.changes.append(.channel(StoredChannel(state.channel)))
    }
  }

  func message(_ outgoing: ChannelOutgoing) -> Message? {
    switch outgoing {
    case .message(let message): return message
    case .fulfill(let id, let hash):
      guard let invoice = state.externalInvoices.first(where: { $0.paymentHash == hash }) else { return nil }
      return state.channel.fulfilMessage(id, preimage: invoice.preimage)
    }
  }
}

// Hints for senders: whether another attempt would arrive, from the state at the moment of the question. The order of
// the checks is the order of the table in docs/protocols.md.
extension PeerMachine {
  /// The wallet is there: a payment needs no wait.
  static let delayWhenConnected = TimeSpan.seconds(1)
  /// A pushed wallet is usually connected by then; balance and places in the channel are free when a payment has ended.
  static let delayWhenAway = TimeSpan.seconds(5)

  public func hint(for question: HintQuestion, at now: Instant) -> ForwardingHint {
    // The LSP has one channel: to any other node there is no route from here, whenever the sender asks.
    guard let wallet = state.wallet, question.recipient == wallet else {
      return ForwardingHint(.doNotRetry, .unknown)
    }
    return hint(forAmountMsat: question.amountMsat, at: now)
  }

  /// For a payment to the wallet.
  public func hint(forAmountMsat amountMsat: UInt64, at now: Instant) -> ForwardingHint {
    guard state.failure == nil else { return ForwardingHint(.doNotRetry, .recipientChannelDisabled) }
    let balanceMsat = state.channel.localMsat
    // What is in the channel comes back if it fails, and what is held is not spent yet.
    let offeredMsat = sum(of: state.payments.filter { !$0.isHeld })
    guard amountMsat <= balanceMsat.addingSaturated(offeredMsat) else {
      return ForwardingHint(.doNotRetry, .insufficientLiquidity)
    }
    let heldMsat = sum(of: state.payments.filter(\.isHeld))
    guard amountMsat <= balanceMsat - min(balanceMsat, heldMsat) else {
      return ForwardingHint(.retryLater, .insufficientLiquidity, after: Self.delayWhenAway)
    }
    guard state.payments.count < Self.paymentLimit else {
      return ForwardingHint(.retryLater, .unknown, after: Self.delayWhenAway)
    }
    guard registered == nil else {
      // Between `init` and the re-establishment of the channel is less than a second.
      let reason: ForwardingHint.Reason = state.channel.isReestablished ? .unknown : .disconnected
      return ForwardingHint(.retryNow, reason, after: Self.delayWhenConnected)
    }
    return ForwardingHint(.retryLater, .disconnected, after: delayUntilThere(at: now))
  }

  /// Counted from the newest push since the wallet left, while that may still be on its way.
  private func delayUntilThere(at now: Instant) -> TimeSpan {
    guard let calledAt = calls.calledAt, now < calledAt + WalletCalls.callBound else {
      return Self.delayWhenAway
    }
    return max(Self.delayWhenConnected, calledAt + Self.delayWhenAway - now)
  }

  /// A sender chooses the amounts of held payments, which may exceed any balance.
  private func sum(of payments: [PeerPayment]) -> UInt64 {
    payments.reduce(0) { $0.addingSaturated($1.request.amountMsat) }
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}

extension ForwardingHint {
  fileprivate init(_ hint: Advice, _ reason: Reason, after delay: TimeSpan) {
    self.init(hint, reason, recommendedDelayMs: UInt64(max(0, delay.wholeMilliseconds)))
  }
}
