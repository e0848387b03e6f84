import Ground
import LightningChannel

// Payments of senders: offered when the wallet is there, held for a while when it is not.
extension PeerMachine {
  mutating func payRequested(_ request: PaymentRequest, at now: Instant) -> [PeerDirective] {
    if let failure = refusal(of: request) { return [.answer(payment: request.id, .failed(failure))] }
    var step = PeerStep(changes: [.paymentHeld(request)])
    let isCalled = isCalled(for: request.paymentHash, at: now)
    state.payments.append(PeerPayment(request: request))
    if let connection = registered, state.channel.isReestablished {
      calls.noteNews()
      advance(on: connection, &step, isChanged: false, at: now)
    } else if request.holdUntil <= now {
      fail(request.id, .recipientAway, &step)
    } else {
      // Something new is a reason to come; the calls for what waited longer go on from this one.
      calls.noteNews()
      if !isCalled { call(for: state.payments.count - 1, at: now, &step) }
    }
    if state.payments.last?.request.id == request.id, state.payments.last?.isHeld == true {
      step.afterwards.append(.answer(payment: request.id, .held))
    }
    return step.directives
  }

  /// A push is the wallet's only way to hear of it.
  mutating func call(for index: Int, at now: Instant, _ step: inout PeerStep) {
    let payment = state.payments[index]
    state.payments[index].calledAt = now
    calls.noteCall(at: now)
    step.afterwards.append(
      .requestPush(
        PushRequest(
          reason: payment.isHeld ? .incomingPayment : .pendingSettlement,
          paymentHash: payment.request.paymentHash, amountMsat: payment.request.amountMsat)))
  }

  /// One push calls the wallet for all that waits of one payment, until it must have been used up: in vain, then.
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
    // It would come in vain.
    if state.failure != nil { return .recipientAway }
    if state.payments.count >= Self.paymentLimit { return .tooManyPending }
    return isPending(request) ? .alreadyPending : nil
  }

  /// What is on its way already is not sent twice: unless these are parts of one payment, and all of this is missing yet.
  private func isPending(_ request: PaymentRequest) -> Bool {
    let pending = state.payments.map(\.request).filter { $0.paymentHash == request.paymentHash }
    if state.payments.contains(where: { $0.request.id == request.id }) { return true }
    guard !pending.isEmpty else { return false }
    guard let data = request.paymentData, pending.allSatisfy({ $0.paymentData == data }) else { return true }
    // The total is whatever the sender says: no sum is made that could overflow.
    var missing = data.totalMsat
    for part in pending { missing -= min(missing, part.amountMsat) }
    return request.amountMsat > missing
  }

  /// Puts into the channel what fits, the oldest first.
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
        // It waits until one of those is settled, or for its deadline.
        return
      } catch {
        fail(request.id, .noBalance, &step)
      }
    }
  }

  mutating func fail(_ payment: UInt64, _ failure: PaymentFailure, _ step: inout PeerStep) {
    state.payments.removeAll { $0.request.id == payment }
    step.changes.append(.paymentFailed(payment: payment, failure))
    step.afterwards.append(.answer(payment: payment, .failed(failure)))
  }
}
