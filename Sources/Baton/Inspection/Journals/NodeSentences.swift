import Lightning
import Wallet

/// Sentences for the wallet's node. Events that `GuardSentences` covers have none here.
package enum NodeSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: NodeEvent) -> [Sentence] {
    switch event {
    case .started(let claim, let state, _):
      [
        Sentence(
          "starts the node under epoch \(claim.epoch) with \(HumanText.count(state.invoices.count, "open invoice"))",
          matters: false)
      ]
    case .networkChanged(let isThere):
      [Sentence(isThere ? "has a network again" : "has no network any more")]
    case .closed(let why): [Sentence("the connection to the peer ended: \(why)", matters: false)]
    case .received(let message): [Sentence("receives \(MessageWords.name(of: message.type))", matters: false)]
    case .written: [Sentence("its state is durable", matters: false)]
    case .backupReceived: [Sentence("reads its backup from the peer", matters: false)]
    case .invoiceMade(let invoice):
      [
        .key(
          "made an invoice for \(HumanText.amount(msat: invoice.amountMsat))\(invoice.text.isEmpty ? "" : ": \(invoice.text)")"
        )
      ]
    case .invoiceCancelRequested(let hash): [Sentence("is asked to cancel the invoice \(hash.hex.prefix(8))")]
    case .payRequested(let payment, _):
      [
        Sentence(
          "is asked to pay \(HumanText.amount(msat: payment.amountMsat)), hash \(payment.paymentHash.hex.prefix(8))"
        )
      ]
    case .spliceRequested(let request):
      [
        Sentence(
          "is asked to withdraw \(HumanText.amount(msat: request.amountSat &* 1000)) on chain")
      ]
    case .webhookRequested: [Sentence("is asked for the wallet's webhooks")]
    case .storeBlocked: [Sentence("cannot write: another process is inside a transaction")]
    case .storeFailed(let sentence), .storeLost(let sentence): [Sentence("cannot write: \(sentence)")]
    case .deadlineReached, .stopRequested, .handoverRequested, .rowRead, .checkedAfterInit, .fenced,
      .userCame,
      .peerMayBeThere, .reconnectRequested, .dialled:
      []
    }
  }

  package static func of(_ directive: NodeDirective) -> [Sentence] {
    switch directive {
    case .dial(let attempt): [Sentence("dials the peer, attempt \(attempt + 1)", matters: false)]
    case .write: [Sentence("writes its state to the database", matters: false)]
    case .send(let outgoing) where outgoing.isEmpty: []
    case .send(let outgoing):
      [
        Sentence(
          "sends \(outgoing.map { MessageWords.name(of: TimelineFacts.type($0)) }.joined(separator: ", "))",
          matters: false)
      ]
    case .invoiceCancelled(let hash): [Sentence("the invoice \(hash.hex.prefix(8)) is cancelled")]
    case .paymentOffered(let hash): [Sentence("offers the HTLC of payment \(hash.hex.prefix(8))")]
    case .paymentEnded(let ended):
      [.key("the payment \(ended.payment.paymentHash.hex.prefix(8)) \(words(ended.end))")]
    case .spliceBegun(let splice):
      [
        Sentence(
          "begins the splice \(splice.id.text.prefix(8)): \(HumanText.amount(msat: splice.amountSat &* 1000)) plus a fee of \(HumanText.amount(msat: splice.feeSat &* 1000))"
        )
      ]
    case .spliceEnded(let id, let end):
      [Sentence("the splice \(id.text.prefix(8)) is \(words(end))")]
    // The answer to the request carries the reason.
    case .invoiceRefused, .cancelRefused, .paymentRefused, .spliceRefused, .webhookRefused, .webhookAnswered:
      []
    case .checkRow, .checkAfterInit, .hangUp, .cutOff, .report, .invoiceStored: []
    }
  }

  private static func words(_ end: SpliceEnd) -> String {
    switch end {
    case .done: "done"
    case .forgotten: "forgotten by the peer: no funds moved"
    case .lost: "lost: the restored backup does not have this splice"
    }
  }

  private static func words(_ end: PaymentEnd) -> String {
    switch end {
    case .paid: "is paid"
    case .failed(let code): "failed with \(FailureCode(rawValue: code))"
    }
  }
}
