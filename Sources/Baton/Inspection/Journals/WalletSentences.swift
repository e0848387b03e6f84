import Ground
import Guardrails
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
          "sends \(outgoing.map { MessageWords.name(of: $0.type) }.joined(separator: ", "))",
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

extension NodeOutgoing {
  var type: UInt16 {
    switch self {
    case .message(let message), .channel(.message(let message)): message.type
    // `update_fulfill_htlc`: its preimage is added at the wire only.
    case .channel(.fulfill): 130
    case .backup: Message.peerStorage([]).type
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

  package static func of(_ directive: OpeningDirective) -> [Sentence] {
    switch directive {
    case .enter(let step): [Sentence("opening: \(step.rawValue)", matters: false)]
    case .take(let work): [Sentence("takes a step of deferred work: \(work.rawValue)", matters: false)]
    }
  }
}

/// Sentences for the guard's events and directives: claims, losses, waits, handovers.
package enum GuardSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: GuardEvent, by role: Role) -> [Sentence] {
    switch event {
    // The narrator names its reason.
    case .claimed: []
    case .deadlineReached, .observed, .rowRead, .receivedFound: []
    case .receivedNotRead(let trouble, _):
      [Sentence("cannot read its received payments: \(trouble.text)", matters: false)]
    case .incomingStored: [Sentence("has stored the announced payment for the app", matters: false)]
    case .incomingNotStored(let trouble, _):
      [Sentence("cannot store the announced payment: \(trouble.text)", matters: false)]
    case .launched: [Sentence("launched", matters: false)]
    case .enteredForeground: [Sentence("the user opened the app")]
    case .enteredBackground: [Sentence("the user left the app")]
    case .pushArrived(let push): [Sentence("push \(push.id) arrived (\(words(push.reason)))")]
    case .toldPushRead(let push): [Sentence("can read push \(push.id) after its text", matters: false)]
    case .silentPushArrived(let push): [Sentence("silent push \(push.id) arrived (\(words(push.reason)))")]
    case .nodeWanted: [Sentence("needs the node for a scheduled task")]
    case .runExpired: [Sentence("is told that the time for its scheduled task is over")]
    case .expiryWarned(let push): [Sentence(expiry(of: push, role))]
    case .terminationRequested: [Sentence("is asked to terminate")]
    case .moveRequested: [Sentence("is asked to move the wallet into this container")]
    case .networkChanged(let isThere):
      [Sentence(isThere ? "has a network again" : "has no network any more", matters: false)]
    case .backgroundTimeExpired: [Sentence("its background time has expired")]
    case .taskBegan(let task): [Sentence("begins its long-lived task: \(task.name)")]
    case .taskEnded(let task): [Sentence("ends its long-lived task: \(task.name)")]
    case .presenceHeard(let message) where message.asksForHandover:
      [Sentence("is asked to hand over the node")]
    case .presenceHeard(let message) where message.released != nil:
      [Sentence("receives a presence message: epoch \(message.released ?? 0) is released", matters: false)]
    case .presenceHeard: [Sentence("receives a presence message", matters: false)]
    case .partnerEnded: [Sentence("sees that the other process ended")]
    case .claimSuperseded: [Sentence("cannot claim: another process has just claimed")]
    case .ownLockWasBusy:
      [Sentence("cannot claim: another process holds the lock of this role", matters: false)]
    case .lookFailed(let trouble), .claimFailed(let trouble), .rowReadFailed(let trouble): [of(trouble)]
    case .node(let report): of(report)
    case .containerLost(let sentence): [lost(sentence)]
    }
  }

  /// The app hears of a silent push when its time is over, the extension shortly before.
  private static func expiry(of push: UInt64, _ role: Role) -> String {
    switch role {
    case .app: "is told that the time for push \(push) is over"
    case .extension: "is warned that the time for push \(push) is nearly over"
    }
  }

  private static func lost(_ sentence: String) -> Sentence { Sentence("lost the container: \(sentence)") }

  private static func of(_ trouble: Trouble) -> Sentence {
    switch trouble {
    case .blocked(let pid, let isStopped):
      Sentence(
        "is blocked: \(pid.map { "process \($0)" } ?? "another process") is \(isStopped ? "stopped " : "")inside a transaction"
      )
    case .failed(let sentence): Sentence("container error: \(sentence)")
    case .lost(let sentence): lost(sentence)
    }
  }

  /// Settling takes a moment and is shown with `--verbose` only; waiting for parts and splicing take longer.
  private static func of(_ activity: NodeActivity) -> Sentence {
    let sets = activity.collecting.count
    var words = activity.isSettling ? ["settles a payment"] : []
    if sets > 0 { words.append("waits for more parts of \(sets == 1 ? "a payment" : "\(sets) payments")") }
    if activity.isSplicing { words.append("has a pending splice") }
    return Sentence(
      words.isEmpty ? "has no pending payment or splice" : words.joined(separator: " and "),
      matters: sets > 0 || activity.isSplicing)
  }

  private static func of(_ status: Status) -> Sentence {
    let text = "shows “\(status.text)”"
    switch status {
    // Other sentences say the same, or the status lasts for a moment only.
    case .idle, .claiming, .connecting, .connected, .settling, .releasing, .appGoesFirst:
      return Sentence(text)
    case .waitingForExtension, .waitingForOther, .blocked, .hinderedFromConnecting, .usedByAnotherDevice,
      .peerOutOfReach, .trouble:
      return .key(text)
    }
  }

  private static func of(_ report: NodeReport) -> [Sentence] {
    switch report {
    case .connecting: [Sentence("dials the peer", matters: false)]
    case .established: [.key("connected: the channel is re-established")]
    case .busy(let activity): [of(activity)]
    case .received(let payment):
      [
        .key(
          "received \(HumanText.amount(msat: payment.amountMsat))\(payment.text.isEmpty ? "" : ": \(payment.text)")"
        )
      ]
    case .stopped: [Sentence("closed its connection", matters: false)]
    case .fenced: [.key("is fenced: another process holds the node")]
    case .refused(let highest, _): [.key("is refused by the peer, whose highest epoch is \(highest)")]
    case .trouble(let sentence): [.key(sentence)]
    }
  }

  package static func of(_ directive: GuardDirective, in wallet: WalletProfile = .phoenix) -> [Sentence] {
    switch directive {
    case .container(.raiseIntent): [Sentence("wants the node", matters: false)]
    case .container(.withdrawIntent): [Sentence("no longer wants the node", matters: false)]
    case .container(.raiseEpoch(_, let above, _)): [Sentence("raises its epoch above \(above)")]
    case .container(.beat(let epoch, .released, _)): [.key("released epoch \(epoch)")]
    case .node(.acceptNoNewPayment): [Sentence("accepts no new payment", matters: false)]
    case .node(.endLongPause):
      [Sentence("dials the peer at once, as the extension serves a push", matters: false)]
    case .phone(.say(let message)) where message.asksForHandover:
      [Sentence("asks for a handover", matters: false)]
    case .phone(.mayConnect(let targets)):
      [
        Sentence(
          "may connect to \(targets.isEmpty ? "nothing" : targets.map(\.rawValue).joined(separator: ", "))",
          matters: false)
      ]
    case .phone(.show(let status)): [of(status)]
    case .phone(.deliver(let push, let outcome)):
      [Sentence("delivers push \(push): \(words(NotificationContent(outcome, of: wallet)))")]
    case .wallet(.notify(let payment)):
      [Sentence("posts a local notification: \(words(NotificationContent(payment)))")]
    case .wallet(.withdraw):
      [Sentence("withdraws the earlier notification of the same payment", matters: false)]
    case .phone(.finished(let push, let reason)): [.key("finished push \(push): \(reason.text)")]
    case .phone(.completed(let push, let outcome)):
      [
        Sentence(
          "completes silent push \(push): \(outcome == .newData ? "a payment was received" : outcome == .noData ? "no payment was received" : "failed")"
        )
      ]
    case .phone(.backgroundDone):
      [Sentence("tells the phone that it has entered the background", matters: false)]
    case .phone(.beginBackgroundTask): [Sentence("asks the phone for background time", matters: false)]
    case .phone(.endBackgroundTask):
      [Sentence("ends its background time: everything is released", matters: false)]
    case .phone(.end(let reason)): [Sentence("ends: \(reason.text)")]
    case .wallet(.storeIncoming): [Sentence("stores the announced payment for the app", matters: false)]
    // The process writes a note with the failure.
    case .phone(.noteFailure): []
    case .container, .wallet(.readReceived), .wallet(.runServed), .node, .phone(.say): []
    }
  }

  private static func words(_ content: NotificationContent) -> String {
    "“\(content.title)”, \(content.body)"
  }

  private static func words(_ reason: Push.Reason) -> String {
    switch reason {
    case .incomingPayment: "incoming payment"
    case .pendingSettlement: "pending settlement"
    case .other: "not about a payment"
    case .unreadable: "unreadable"
    }
  }
}
