import Ground
import Guardrails
import LightningNode
import PhonePolicy
import Wallet

// The user cancels an invoice of the wallet's, which somebody may be paying at that moment.
extension World {
  mutating func cancel(_ number: Int) {
    guard invoicing.mayBeCancelled(number) else { return }
    let request = numbers.request()
    invoicing.cancel(number, as: request)
    tellPhone(.appAsked(request: request, inFront: false))
  }

  mutating func postCancel(ofRequest request: UInt64) {
    guard let wanted = invoicing.cancelled(by: request) else { return }
    lives.app?.value.inbox.append(
      .requests(.asked("\(request)", .cancellation(of: wanted.paymentHash))))
  }

  /// Nil: it is cancelled.
  mutating func answerCancel(_ request: String, _ refusal: String?) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    guard let invoice = invoicing.cancelIsAnswered(request) else { return }
    let isOpen = refusal.map { !Self.saysNothingOfOpen.contains($0) } ?? false
    if refusal == nil, !invoice.isCancelled {
      report(.paidIsReceivedOnce, "The user is told that an invoice is cancelled, and it is open.")
    } else if isOpen, invoice.isCancelled {
      report(
        .paidIsReceivedOnce,
        "The user is told that an invoice stays open, and it is cancelled: \(refusal ?? "")")
    }
  }

  private static let saysNothingOfOpen = [
    NodeMachine.cancelUnknown, NodeMachine.notOpen, Request.beingCancelled,
  ]

  /// In the place of an app that is not there, or is gone: the invoice may be cancelled all the same.
  mutating func phoneAnsweredCancel(_ request: UInt64) { _ = invoicing.cancelIsAnswered(request) }

  /// The phone answers after 10 s in the place of a silent app, so the app must have no cancellation open either.
  var areCancelsAnswered: Bool {
    let open = lives.app?.value.wallet.requests.open ?? []
    return !invoicing.hasOpenCancel && !open.contains { $0.request.kind == .cancellation }
  }

  /// What was cancelled since that copy was made is open again where the copy has it, or a backup of before: the peer has heard
  /// nothing of what was cancelled without a connection.
  mutating func openAgain(knownTo copy: Container) {
    var open = copy.node.invoices
    if let blob = peer.value.state.backup, case .backup(let backup) = NodeBackup.read(blob.array) {
      open += backup.invoices
    }
    open.removeAll { copy.cancelled.contains($0.paymentHash) }
    for invoice in open { invoicing.noteCancelled(invoice.paymentHash, false) }
  }

  // MARK: What must not be

  /// Money that was shown as coming is not refused.
  mutating func checkCancel(of hash: Bytes32) {
    invoicing.noteCancelled(hash, true)
    let isComing = container.value.node.channel?.htlcs.contains { htlc in
      if case .failed? = htlc.removal { return false }
      return htlc.direction == .received && htlc.paymentHash == hash
    }
    if isComing == true {
      report(.paidIsReceivedOnce, "An invoice is cancelled while a payment of it is in the channel.")
    }
  }

  mutating func checkNotCancelled(_ receipt: Receipt) {
    if invoicing[receipt.invoice.paymentHash]?.isCancelled == true {
      report(.paidIsReceivedOnce, "A payment of an invoice is accepted that is cancelled.")
    }
  }
}
