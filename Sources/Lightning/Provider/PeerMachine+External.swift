import Ground
import LightningWire
import LightningChannel

// What the wallet pays goes on into a network, where it takes its time, and ends with who made the invoice. Whether the
// wallet is there at that moment makes no difference: the answer waits in the channel.
extension PeerMachine {
  mutating func externalInvoiceMade(_ invoice: ExternalInvoice) -> [PeerDirective] {
    guard !state.externalInvoices.contains(where: { $0.paymentHash == invoice.paymentHash }) else { return [] }
    state.externalInvoices.append(invoice)
    return [.store([.externalMade(invoice)])]
  }

  /// Sends on what is new, and ends what has arrived.
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
      // `committedHTLCs` lists only what can be removed; a channel that says otherwise keeps the HTLC as it is.
    }
  }

  /// Something has arrived while the wallet said nothing.
  mutating func arrivals(_ step: inout PeerStep, at now: Instant) {
    guard state.channel.mayUpdate, routed.contains(where: { $0.arrivesAt <= now }) else { return }
    let before = state.channel.record
    route(&step, at: now)
    if let connection = registered {
      advance(on: connection, &step, isChanged: state.channel.record != before, at: now)
    } else if state.channel.record != before {
      step.changes.append(.channel(state.channel.record))
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
