import CoreShape
import Crypto

// Payments of senders: offered when the wallet is there, held for a while when it is not.
extension PeerMachine {
  mutating func payRequested(_ request: PaymentRequest, at now: Instant) -> [PeerDirective] {
    if let failure = refusal(of: request) { return [.answer(payment: request.id, .failed(failure))] }
    var step = PeerStep(changes: [.paymentHeld(request)])
    state.payments.append(PeerPayment(request: request))
    if let connection = registered, state.channel.isReestablished {
      advance(on: connection, &step, isChanged: false)
    } else if request.holdUntil <= now {
      fail(request.id, .recipientAway, &step)
    } else {
      let push = PushRequest(
        reason: .incomingPayment, paymentHash: request.paymentHash, amountMsat: request.amountMsat)
      step.afterwards.append(.requestPush(push))
    }
    if state.payments.last?.request.id == request.id, state.payments.last?.isHeld == true {
      step.afterwards.append(.answer(payment: request.id, .held))
    }
    return step.directives
  }

  private func refusal(of request: PaymentRequest) -> PaymentFailure? {
    if request.amountMsat == 0 { return .amountIsZero }
    if let payee = request.payee, let wallet = state.wallet, payee != wallet { return .anotherPayee }
    if state.isPaid(request.paymentHash) { return .alreadyPaid }
    if state.payments.count >= Self.paymentLimit { return .tooManyPending }
    let isPending = state.payments.contains {
      $0.request.paymentHash == request.paymentHash || $0.request.id == request.id
    }
    return isPending ? .alreadyPending : nil
  }

  /// Puts into the channel what fits, the oldest first.
  mutating func offerHeld(_ step: inout PeerStep) {
    for request in state.payments.filter(\.isHeld).map(\.request) {
      do throws(ChannelError) {
        let htlc = try state.channel.offer(
          amountMsat: request.amountMsat, paymentHash: request.paymentHash, cltvExpiry: Self.cltvExpiry)
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
