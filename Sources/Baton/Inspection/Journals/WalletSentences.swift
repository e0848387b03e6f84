import Ground
import Guardrails
import Lightning
import Wallet

/// Sentences for the wallet's node. Events that `GuardSentences` covers have none here.
package enum NodeSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: NodeEvent) -> Sentence? {
    switch event {
    case .started(let claim, let state, _):
      .detail(
        "starts the node under epoch \(claim.epoch) with \(HumanText.count(state.invoices.count, "open invoice"))"
      )
    case .networkChanged(let isThere): Sentence(isThere ? "has a network again" : "has no network any more")
    case .closed(let why): .detail("the connection to the peer ended: \(why)")
    case .received(let message): .detail("receives \(message.name)")
    case .written: .detail("its state is durable")
    case .backupReceived: .detail("reads its backup from the peer")
    case .invoiceMade(let invoice):
      .key(
        "made an invoice for \(HumanText.amount(msat: invoice.amountMsat))\(invoice.text.isEmpty ? "" : ": \(invoice.text)")"
      )
    case .invoiceCancelRequested(let hash): "is asked to cancel the invoice \(hash.hex.prefix(8))"
    case .payRequested(let payment, _):
      "is asked to pay \(HumanText.amount(msat: payment.amountMsat)), hash \(payment.paymentHash.hex.prefix(8))"
    case .spliceRequested(let request):
      "is asked to withdraw \(HumanText.amount(msat: request.amountSat &* 1000)) on chain"
    case .webhookRequested: "is asked for the wallet's webhooks"
    case .storeBlocked: "cannot write: another process is inside a transaction"
    case .storeFailed(let sentence), .storeLost(let sentence): "cannot write: \(sentence)"
    case .deadlineReached, .stopRequested, .handoverRequested, .rowRead, .checkedAfterInit, .fenced,
      .userCame, .peerMayBeThere, .reconnectRequested, .dialled:
      nil
    }
  }

  package static func of(_ directive: NodeDirective) -> Sentence? {
    switch directive {
    case .dial(let attempt): .detail("dials the peer, attempt \(attempt + 1)")
    case .write: .detail("writes its state to the database")
    case .send(let outgoing) where outgoing.isEmpty: nil
    case .send(let outgoing):
      .detail("sends \(outgoing.map(\.name).joined(separator: ", "))")
    case .invoiceCancelled(let hash): "the invoice \(hash.hex.prefix(8)) is cancelled"
    case .paymentOffered(let hash): "offers the HTLC of payment \(hash.hex.prefix(8))"
    case .paymentEnded(let ended):
      .key("the payment \(ended.payment.paymentHash.hex.prefix(8)) \(words(ended.end))")
    case .spliceBegun(let splice):
      "begins the splice \(splice.id.text.prefix(8)): \(HumanText.amount(msat: splice.amountSat &* 1000)) plus a fee of \(HumanText.amount(msat: splice.feeSat &* 1000))"
    case .spliceEnded(let id, let end): "the splice \(id.text.prefix(8)) is \(words(end))"
    // The answer to the request carries the reason.
    case .invoiceRefused, .cancelRefused, .paymentRefused, .spliceRefused, .webhookRefused, .webhookAnswered:
      nil
    case .checkRow, .checkAfterInit, .hangUp, .cutOff, .report, .holdEnded, .connectionKept, .invoiceStored:
      nil
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
  var name: String {
    switch self {
    case .message(let message), .channel(.message(let message)): message.name
    // Its preimage is added at the wire only.
    case .channel(.fulfill): "update_fulfill_htlc"
    case .backup: Message.peerStorage([]).name
    }
  }
}

// Sentences for the screen of incoming payments, and for the order in which the app opens.
extension WalletSentences {
  package static func of(_ event: IncomingEvent) -> Sentence? {
    switch event {
    case .told(let announcement?, _) where announcement.paymentHash != nil:
      "is told of the payment \(announcement.paymentHash?.hex.prefix(8) ?? "")"
    case .told: .detail("is told of something else than a payment")
    case .linkFollowed(let page): "goes to its page \(page.rawValue)"
    case .pressed(_, let button): "the user presses “\(button.title)”"
    case .recordsRead(let records, _, _) where !records.isEmpty: "finds \(records.count) announced payments"
    case .recordsNotRead(let trouble): "cannot read the announced payments: \(trouble.text)"
    case .notRemoved(let trouble): .detail("cannot remove the ended announcements: \(trouble.text)")
    case .holdEnded(let hash): "hears that the peer holds the payment \(hash.hex.prefix(8)) no more"
    case .deadlineReached, .activated, .deactivated, .recordsRead, .removed, .shown, .received, .collecting,
      .tidyAsked:
      nil
    }
  }

  package static func of(_ directive: IncomingDirective) -> Sentence? {
    switch directive {
    case .show(let screen): "shows “\(screen.text)”"
    case .connectAgain: "connects again"
    case .copy: "copies the message for the sender"
    case .answerPress(_, let refusal?): .detail("refuses the press: \(refusal)")
    case .remove(let records): .detail("removes \(records.count) ended announcements")
    case .withdrawAnnouncement: .detail("withdraws the announcements of the payment")
    case .answerPress, .read, .tidyWanted, .tidied: nil
    }
  }

  package static func of(_ directive: OpeningDirective) -> Sentence? {
    switch directive {
    case .enter(let step): .detail("opening: \(step.rawValue)")
    case .take(let work): .detail("takes a step of deferred work: \(work.rawValue)")
    }
  }
}

/// Sentences for the guard's events and directives: claims, losses, waits, handovers.
package enum GuardSentences {
  package typealias Sentence = JournalNarrator.Sentence

  /// `reason`: of the claim that has succeeded.
  package static func of(_ event: GuardEvent, by role: Role, _ reason: String?) -> Sentence? {
    switch event {
    case .claimed(let claim): .key("claimed epoch \(claim.epoch)\(reason.map { " (\($0))" } ?? "")")
    case .deadlineReached, .observed, .rowRead, .receivedFound: nil
    case .receivedNotRead(let trouble, _): .detail("cannot read its received payments: \(trouble.text)")
    case .incomingStored: .detail("has stored the announced payment for the app")
    case .incomingNotStored(let trouble, _): .detail("cannot store the announced payment: \(trouble.text)")
    case .launched: .detail("launched")
    case .enteredForeground: "the user opened the app"
    case .enteredBackground: "the user left the app"
    case .pushArrived(let push): "push \(push.id) arrived (\(words(push.reason)))"
    case .toldPushRead(let push): .detail("can read push \(push.id) after its text")
    case .silentPushArrived(let push): "silent push \(push.id) arrived (\(words(push.reason)))"
    case .nodeWanted: "needs the node for a scheduled task"
    case .runExpired: "is told that the time for its scheduled task is over"
    case .expiryWarned(let push): Sentence(expiry(of: push, role))
    case .terminationRequested: "is asked to terminate"
    case .moveRequested: "is asked to move the wallet into this container"
    case .networkChanged(let isThere): .detail(isThere ? "has a network again" : "has no network any more")
    case .backgroundTimeExpired: "its background time has expired"
    case .taskBegan(let task): "begins its long-lived task: \(task.name)"
    case .taskEnded(let task): "ends its long-lived task: \(task.name)"
    case .presenceHeard(let message) where message.asksForHandover: "is asked to hand over the node"
    case .presenceHeard(let message) where message.released != nil:
      .detail("receives a presence message: epoch \(message.released ?? 0) is released")
    case .presenceHeard: .detail("receives a presence message")
    case .partnerEnded: "sees that the other process ended"
    case .claimSuperseded: "cannot claim: another process has just claimed"
    case .ownLockWasBusy: .detail("cannot claim: another process holds the lock of this role")
    case .lookFailed(let trouble), .claimFailed(let trouble), .rowReadFailed(let trouble): of(trouble)
    case .node(let report): of(report)
    case .containerLost(let sentence): lost(sentence)
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
      sets > 0 || activity.isSplicing ? .normal : .detail)
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

  private static func of(_ report: NodeReport) -> Sentence? {
    switch report {
    case .connecting: .detail("dials the peer")
    case .established: .key("connected: the channel is re-established")
    case .busy(let activity): of(activity)
    case .received(let payment):
      .key(
        "received \(HumanText.amount(msat: payment.amountMsat))\(payment.text.isEmpty ? "" : ": \(payment.text)")"
      )
    case .stopped: .detail("closed its connection")
    case .fenced: .key("is fenced: another process holds the node")
    case .refused(let highest, _): .key("is refused by the peer, whose highest epoch is \(highest)")
    case .trouble(let sentence): .key(sentence)
    }
  }

  package static func of(_ directive: GuardDirective, in wallet: WalletProfile = .phoenix) -> Sentence? {
    switch directive {
    case .container(.raiseIntent): .detail("wants the node")
    case .container(.withdrawIntent): .detail("no longer wants the node")
    case .container(.raiseEpoch(_, let above, _)): "raises its epoch above \(above)"
    case .container(.beat(let epoch, .released, _)): .key("released epoch \(epoch)")
    case .node(.acceptNoNewPayment): .detail("accepts no new payment")
    case .node(.endLongPause): .detail("dials the peer at once, as the extension serves a push")
    case .phone(.say(let message)) where message.asksForHandover: .detail("asks for a handover")
    case .phone(.mayConnect(let targets)):
      .detail(
        "may connect to \(targets.isEmpty ? "nothing" : targets.map(\.rawValue).joined(separator: ", "))")
    case .phone(.show(let status)): of(status)
    case .phone(.deliver(let push, let outcome)):
      "delivers push \(push): \(words(NotificationContent(outcome, of: wallet)))"
    case .wallet(.notify(let payment)): "posts a local notification: \(words(NotificationContent(payment)))"
    case .wallet(.withdraw): .detail("withdraws the earlier notification of the same payment")
    case .phone(.finished(let push, let reason)): .key("finished push \(push): \(reason.text)")
    case .phone(.completed(let push, let outcome)):
      "completes silent push \(push): \(outcome == .newData ? "a payment was received" : outcome == .noData ? "no payment was received" : "failed")"
    case .phone(.backgroundDone): .detail("tells the phone that it has entered the background")
    case .phone(.beginBackgroundTask): .detail("asks the phone for background time")
    case .phone(.endBackgroundTask): .detail("ends its background time: everything is released")
    case .phone(.end(let reason)): "ends: \(reason.text)"
    case .wallet(.storeIncoming): .detail("stores the announced payment for the app")
    // The process writes a note with the failure.
    case .phone(.noteFailure): nil
    case .container, .wallet(.readReceived), .wallet(.runServed), .node, .phone(.say): nil
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
