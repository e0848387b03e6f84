import Ground
import Lightning

// Outgoing payments: they take `externalDelay` through the network and end at the invoice's node. The wallet need
// not be connected then: the result waits in the channel.
extension PeerMachine {
  mutating func externalInvoiceMade(_ invoice: ExternalInvoice) -> [PeerDirective] {
    guard !state.externalInvoices.contains(where: { $0.paymentHash == invoice.paymentHash }) else {
      return []
    }
    state.externalInvoices.append(invoice)
    return [.store([.externalMade(invoice)])]
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
