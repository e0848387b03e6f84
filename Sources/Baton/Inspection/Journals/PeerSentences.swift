import LightningProvider
import Lightning

/// Sentences for `lspd`.
package enum PeerSentences {
  package typealias Sentence = JournalNarrator.Sentence

  package static func of(_ event: PeerEvent) -> [Sentence] {
    switch event {
    case .deadlineReached: []
    case .received(let connection, let message):
      [
        Sentence(
          "receives \(MessageWords.name(of: message.type)) on connection \(connection)", matters: false)
      ]
    case .walletNamed(let node):
      [Sentence("the channel is with the node \(node.hex.prefix(8))…", matters: false)]
    case .connected(let connection, _): [Sentence("connection \(connection) opened", matters: false)]
    case .undecodable(let connection, let why):
      [Sentence("connection \(connection) sent an undecodable message: \(why)")]
    case .closed(let connection, let why):
      [Sentence("connection \(connection) ended: \(why)", matters: false)]
    case .payRequested(let request):
      [
        .key(
          "is asked to pay \(HumanText.amount(msat: request.amountMsat)) (payment \(request.id)\(request.attempt.map { ", attempt \($0)" } ?? ""))"
        )
      ]
    case .failuresOrdered(let order):
      [.key("is to fail the next \(order.left) payments with \(FailureCode(rawValue: order.code).words)")]
    case .channelFailureOrdered: [.key("is to fail the channel")]
    case .announcementOrdered(.mutualClose):
      [.key("is to force-close the channel, and to announce that to the wallet")]
    case .announcementOrdered: [.key("is to announce to the wallet that its channel order is paid")]
    case .notificationOrdered(let notification):
      [Sentence("is to notify the wallet's webhooks: \(notification.method.rawValue)")]
    case .webhookCalled(let call, let outcome): [Sentence("call \(call) to a webhook: \(outcome.word)")]
    case .externalInvoiceMade(let invoice):
      [Sentence("made an external invoice for \(HumanText.amount(msat: invoice.amountMsat))")]
    }
  }

  package static func of(_ directive: PeerDirective) -> [Sentence] {
    switch directive {
    case .store(let changes): changes.compactMap(of)
    case .send(let connection, let message):
      [Sentence("sends \(MessageWords.name(of: message.type)) on connection \(connection)", matters: false)]
    case .close(let connection, let why): [Sentence("closes connection \(connection): \(why)")]
    case .evict(let connection, let why): [.key("evicts connection \(connection): \(why)")]
    case .requestPush(let push):
      [
        .key(
          "asks the phone for a \(push.kind == .silent ? "silent push" : "push") (\(push.reason.rawValue))")
      ]
    case .webhook(.call(let call)):
      [.key("calls the webhook \(call.webhook.name): \(call.notification.method.rawValue)")]
    case .webhook(.cancel(let call)): [Sentence("ends call \(call) to a webhook")]
    case .answer(let payment, let outcome): [answer(payment, outcome)]
    }
  }

  private static func of(_ change: LedgerChange) -> Sentence? {
    switch change {
    case .connectionJudged(let connection, let verdict, let fence):
      .key("connection \(connection)\(fence.map { " of epoch \($0.epoch)" } ?? ""): \(words(verdict))")
    case .paymentOffered(let payment, _): Sentence("offers payment \(payment) to the wallet")
    case .externalPaid(let hash, _):
      Sentence("the wallet's payment \(hash.hex.prefix(8)) reached its recipient")
    case .webhook(.set(let webhook)): Sentence("the wallet has registered the webhook \(webhook.name)")
    case .webhook(.removed(let name)): Sentence("the wallet has removed the webhook \(name)")
    case .pushKey: Sentence("the wallet has named the key for its pushes")
    case .holdEnded(let hash):
      Sentence("the hold of \(hash.hex.prefix(8)) has ended, and the wallet will hear of it")
    case .dataLoss(let connection, let loss):
      Sentence("connection \(connection): the \(loss) has lost channel state")
    case .channelFailed(0, let why): Sentence("fails the channel, while the wallet is away: \(why)")
    case .channelFailed(let connection, let why):
      Sentence("fails the channel on connection \(connection): \(why)")
    default: nil
    }
  }

  private static func answer(_ payment: UInt64, _ outcome: PaymentOutcome) -> Sentence {
    switch outcome {
    case .held: .key("holds payment \(payment): the wallet is offline")
    case .offered: Sentence("payment \(payment) is offered as an HTLC", matters: false)
    case .settled: .key("payment \(payment) is settled")
    case .failed(let failure): .key("payment \(payment) failed: \(failure.word)")
    }
  }

  static func words(_ verdict: ConnectionVerdict) -> String {
    switch verdict {
    case .accepted: "accepted"
    case .unfenced: "accepted, epochs are not checked"
    case .visitor: "accepted as an unknown node, without a channel"
    case .refusedWithoutFence: "refused, its init has no epoch, and an earlier init of this node had one"
    case .refusedLowerEpoch: "refused, this node has connected with a higher epoch"
    case .refusedOtherIncarnation: "refused, another claim has used this epoch"
    case .refusedOtherContainer: "refused, the node is in use by another device"
    }
  }
}
