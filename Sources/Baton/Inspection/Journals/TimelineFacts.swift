import Ground
import Guardrails
import Lightning
import Wallet
import LightningProvider
import PhonePolicy
import Simulation

/// What the cores' events and directives mean for a timeline; the same for journals and simulated runs.
package enum TimelineFacts {
  static func of(_ record: CoreRecord) -> [TimelineFact] {
    switch record {
    case .guardrail(_, let event, let directives): of(event) + directives.flatMap(of)
    case .node(_, let event, let directives): of(event) + directives.flatMap(of)
    case .peer(let event, let directives): of(event) + directives.flatMap(of)
    case .phone(let event, let directives): of(event) + directives.flatMap(of)
    case .requests, .background, .incoming, .opening: []
    }
  }

  // MARK: The guard

  package static func of(_ event: GuardEvent) -> [TimelineFact] {
    switch event {
    case .claimed(let claim): [.claimed(claim.epoch, why: "")]
    case .presenceHeard(let message): [.heard(words(message))]
    case .pushArrived(let push), .silentPushArrived(let push): [.pushHeard(push.id)]
    case .node(.fenced): [.fenced]
    case .node(.refused(let highest, _)): [.refused(highest: highest)]
    case .node(.received(let payment)):
      [.paymentReceived(payment.paymentHash, words: "received \(HumanText.amount(msat: payment.amountMsat))")]
    default: []
    }
  }

  package static func of(_ directive: GuardDirective) -> [TimelineFact] {
    switch directive {
    case .container(.claim(_, let reason)):
      [.claimAsked(why: reason.sentence, holderIsSilent: reason == .holderStale)]
    case .container(.beat(let epoch, .released, _)): [.released(epoch)]
    case .container(.beat(let epoch, let phase, let counter)):
      [.beat(epoch, phase: "\(phase)", counter: counter)]
    case .phone(.say(let message)): [.said(words(message))]
    case .phone(.deliver(let push, _)): [.contentGiven(push)]
    default: []
    }
  }

  private static func words(_ message: PresenceMessage) -> String {
    let kind =
      switch message.code.kind {
      case .ping: "ping"
      case .pong: "pong"
      case .unavailable: "unavailable"
      }
    var words = ["presence: \(kind)"]
    if message.wantsNode { words.append("wants the node") }
    if message.asksForHandover { words.append("asks for a handover") }
    if let epoch = message.released { words.append("released epoch \(epoch)") }
    return words.joined(separator: ", ")
  }

  // MARK: The node

  static func of(_ event: NodeEvent) -> [TimelineFact] {
    switch event {
    case .received(let message): [.received(message.type)]
    case .backupReceived: [.received(Message.peerStorageRetrieval([]).type)]
    case .payRequested(let payment, _):
      [
        .sendBegun(
          payment.paymentHash, words: "the wallet pays \(HumanText.amount(msat: payment.amountMsat))")
      ]
    default: []
    }
  }

  static func of(_ directive: NodeDirective) -> [TimelineFact] {
    switch directive {
    case .dial: return [.dialled]
    case .send(let messages): return [.sent(messages.map(type))]
    case .paymentRefused(let hash, .unknown):
      return [.sendEnded(hash, isPaid: false, words: "the outcome is unknown")]
    case .paymentRefused(let hash, _): return [.sendRefused(hash, words: "refused")]
    case .paymentEnded(let ended):
      switch ended.end {
      case .paid: return [.sendEnded(ended.payment.paymentHash, isPaid: true, words: "paid")]
      case .failed(let code):
        return [
          .sendEnded(
            ended.payment.paymentHash, isPaid: false, words: "failed with \(FailureCode(rawValue: code))")
        ]
      }
    default: return []
    }
  }

  static func type(_ outgoing: NodeOutgoing) -> UInt16 {
    switch outgoing {
    case .message(let message): message.type
    case .channel(.message(let message)): message.type
    // `update_fulfill_htlc`: its preimage is added at the wire only.
    case .channel(.fulfill): 130
    case .backup: Message.peerStorage([]).type
    }
  }

  // MARK: The peer

  package static func of(_ event: PeerEvent) -> [TimelineFact] {
    switch event {
    case .connected(let connection, _): [.connectionOpened(connection)]
    case .received(let connection, let message): [.peerReceived(connection, type: message.type)]
    case .closed(let connection, let why): [.connectionClosed(connection, why: why)]
    case .payRequested(let request):
      [.paymentAsked(request.id, hash: request.paymentHash, words: words(request))]
    case .deadlineReached, .walletNamed, .undecodable, .externalInvoiceMade, .failuresOrdered,
      .channelFailureOrdered, .announcementOrdered, .notificationOrdered, .webhookCalled:
      []
    }
  }

  private static func words(_ request: PaymentRequest) -> String {
    let attempt = request.attempt.map { ", attempt \($0)" } ?? ""
    return "payment \(request.id), \(HumanText.amount(msat: request.amountMsat))\(attempt)"
  }

  package static func of(_ directive: PeerDirective) -> [TimelineFact] {
    switch directive {
    case .store(let changes): changes.flatMap(of)
    case .send(let connection, let message): [.peerSent(connection, type: message.type)]
    case .close(let connection, let why), .evict(let connection, let why):
      [.connectionClosed(connection, why: why)]
    case .requestPush(let push): [.pushAsked(isSilent: push.kind == .silent)]
    case .answer(let payment, .held): [.paymentHeld(payment)]
    case .answer(let payment, .offered): [.paymentOffered(payment)]
    case .answer(let payment, .settled): [.paymentSettled(payment)]
    case .answer(let payment, .failed(let failure)): [.paymentFailed(payment, why: failure.word)]
    case .webhook: []
    }
  }

  private static func of(_ change: LedgerChange) -> [TimelineFact] {
    switch change {
    case .connectionJudged(let connection, let verdict, let claim):
      [
        .connectionJudged(
          connection, claim?.epoch, isAccepted: [.accepted, .unfenced, .visitor].contains(verdict),
          words: PeerSentences.words(verdict))
      ]
    case .paymentOffered(let payment, _): [.paymentOffered(payment)]
    default: []
    }
  }

  // MARK: The phone

  package static func of(_ event: PhoneEvent) -> [TimelineFact] {
    switch event {
    case .processStarted(let role, let pid): [.processStarted(role, pid: pid)]
    case .pushArrived(let push): [.pushArrived(push.id, isSilent: push.isSilent)]
    case .contentDelivered(let push, _, _): [.contentArrived(push)]
    case .userOpened, .userWentHome, .userQuit, .deviceChanged, .rebooted, .notificationTouched, .linkOpened:
      PhoneSentences.of(event).map { .userDid($0.text) }
    default: []
    }
  }

  package static func of(_ directive: PhoneDirective) -> [TimelineFact] {
    switch directive {
    case .launch(let role, let reason): [.launched(role, why: "\(reason)")]
    case .kill(let role, let reason): [.killOrdered(role, why: "\(reason)")]
    case .suspend(let role): [.suspended(role)]
    case .resume(let role): [.resumed(role)]
    case .tell(let role, .push(let push, _)): [.pushGiven(role, push)]
    case .show(let notification):
      [.notified(PhoneSentences.words(notification.text), push: notification.push)]
    case .recordFate(let push, let fate): [.pushFate(push, isEnd: isEnd(fate), words: "\(fate)")]
    case .recordEnd(let role, let reason): [.processEnded(role, end(reason), why: "\(reason)")]
    default: []
    }
  }

  /// A push that is held or given to a process is still on its way.
  private static func isEnd(_ fate: PushFate) -> Bool {
    switch fate {
    case .held, .late: false
    default: true
    }
  }

  private static func end(_ reason: PhonePolicy.EndReason) -> TimelineFact.End {
    switch reason {
    case .ended, .endedAsAsked, .gaveUp: .ended
    case .killed, .killedFromOutside: .killed
    case .crashed: .crashed
    }
  }
}
