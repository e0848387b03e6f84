import Ground
import Lightning

// Which payments are accepted: complete ones of an open invoice, each once.
extension NodeMachine {
  /// Accepts complete payments in one step, keeps incomplete ones waiting, and fails the rest.
  mutating func decide(_ channel: inout Channel, at now: Instant) -> [Receipt] {
    var accepted: [Receipt] = []
    var waiting: [PartialPayment] = []
    for set in sets(of: channel.committedHTLCs) {
      let invoice = node.invoices.first { invoice in
        invoice.paymentHash == set.paymentHash && !accepted.contains { $0.invoice == invoice }
      }
      switch (set.verdict(for: invoice), invoice) {
      case (.whole, let invoice?):
        Self.remove(set, from: &channel, failing: nil)
        accepted.append(Receipt(invoice: invoice, amountMsat: set.amountMsat))
      case (.incomplete, _):
        let known = partials.first { $0.paymentHash == set.paymentHash }
        let partial =
          known ?? PartialPayment(paymentHash: set.paymentHash, endsAt: now + multiPartWindow)
        if partial.endsAt <= now {
          Self.remove(set, from: &channel, failing: FailureCode.mppTimeout)
        } else if !waiting.contains(partial) {
          waiting.append(partial)
        }
      case (.refused, _), (.whole, nil):
        Self.remove(set, from: &channel, failing: FailureCode.incorrectOrUnknownPaymentDetails)
      }
    }
    partials = waiting
    return accepted
  }

  /// Without the container's parts one payment is two incomplete sets.
  private func sets(of htlcs: [HTLC]) -> [PaymentSet] {
    guard keepsPartsInMemory else { return PaymentSet.all(of: htlcs) }
    return PaymentSet.all(of: htlcs.filter { partsOfOthers.contains($0.id) })
      + PaymentSet.all(of: htlcs.filter { !partsOfOthers.contains($0.id) })
  }

  private static func remove(_ set: PaymentSet, from channel: inout Channel, failing code: UInt16?) {
    for part in set.parts {
      do throws(ChannelError) {
        if let code { try channel.fail(part.id, code: code) } else { try channel.fulfill(part.id) }
      } catch {
        // Cannot happen: `committedHTLCs` lists only removable HTLCs. The HTLC stays as it is.
        continue
      }
    }
  }

  /// When the first incomplete payment times out; nil while no decision would be taken.
  var partialsEnd: Instant? {
    guard stage == .established, step == nil, acceptsPayments, channel?.mayUpdate == true else { return nil }
    return partials.map(\.endsAt).min()
  }
}
