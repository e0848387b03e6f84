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
    case .networkChanged(let isThere): [Sentence(isThere ? "has a network again" : "has no network any more")]
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
      [Sentence("is asked to withdraw \(HumanText.amount(msat: request.amountSat &* 1000)) on chain")]
    case .webhookRequested: [Sentence("is asked for the wallet's webhooks")]
    case .storeBlocked: [Sentence("cannot write: another process is inside a transaction")]
    case .storeFailed(let sentence), .storeLost(let sentence): [Sentence("cannot write: \(sentence)")]
    case .deadlineReached, .stopRequested, .handoverRequested, .rowRead, .checkedAfterInit, .fenced,
      .userCame, .peerMayBeThere, .reconnectRequested, .dialled:
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
    case .spliceEnded(let id, let end): [Sentence("the splice \(id.text.prefix(8)) is \(words(end))")]
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

// Sentences for the screen of incoming payments, and for the order in which the app opens.
extension WalletSentences {
  package static func of(_ event: IncomingEvent) -> [Sentence] {
    switch event {
    case .told(let announcement?, _) where announcement.paymentHash != nil:
      [Sentence("is told of the payment \(announcement.paymentHash?.hex.prefix(8) ?? "")")]
    case .told: [Sentence("is told of something else than a payment", matters: false)]
    case .linkFollowed(let page): [Sentence("goes to its page \(page.rawValue)")]
    case .pressed(_, let button): [Sentence("the user presses “\(button.title)”")]
    case .recordsRead(let records, _, _) where !records.isEmpty:
      [Sentence("finds \(records.count) announced payments")]
    case .recordsNotRead(let trouble): [Sentence("cannot read the announced payments: \(trouble.text)")]
    case .notRemoved(let trouble):
      [Sentence("cannot remove the ended announcements: \(trouble.text)", matters: false)]
    case .holdEnded(let hash):
      [Sentence("hears that the peer holds the payment \(hash.hex.prefix(8)) no more")]
    case .deadlineReached, .activated, .deactivated, .recordsRead, .removed, .shown, .received, .collecting,
      .tidyAsked:
      []
    }
  }

  package static func of(_ directive: IncomingDirective) -> [Sentence] {
    switch directive {
    case .show(let screen): [Sentence("shows “\(screen.text)”")]
    case .connectAgain: [Sentence("connects again")]
    case .copy: [Sentence("copies the message for the sender")]
    case .answerPress(_, let refusal?): [Sentence("refuses the press: \(refusal)", matters: false)]
    case .remove(let records): [Sentence("removes \(records.count) ended announcements", matters: false)]
    case .withdrawAnnouncement: [Sentence("withdraws the announcements of the payment", matters: false)]
    case .answerPress, .read, .tidyWanted, .tidied: []
    }
  }

  package static func of(_ event: OpeningEvent) -> [Sentence] { [] }

  package static func of(_ directive: OpeningDirective) -> [Sentence] {
    switch directive {
    case .enter(let step): [Sentence("opening: \(step.rawValue)", matters: false)]
    case .take(let work): [Sentence("takes a step of deferred work: \(work.rawValue)", matters: false)]
    }
  }
}
