import Ground
import Guardrails
import Wallet
import PhonePolicy

// The user cancels an invoice of the wallet, possibly while a sender pays it.
extension World {
  mutating func cancel(_ number: Int) {
    guard container.part({ invoicing.mayBeCancelled(number, in: $0.pointee) }) else { return }
    let request = numbers.request()
    invoicing.cancel(number, as: request)
    tellPhone(.appAsked(request: request, inFront: false))
  }

  mutating func postCancel(ofRequest request: UInt64) {
    guard let wanted = invoicing.cancelled(by: request) else { return }
    lives.app?.value.inbox.append(
      .requests(.asked("\(request)", .cancellation(of: wanted.paymentHash))))
  }

  /// `refusal` nil: the invoice is cancelled.
  mutating func answerCancel(_ request: String, _ refusal: String?) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    guard let invoice = invoicing.cancelIsAnswered(request) else { return }
    // The peer serves another device, which does not know this cancellation.
    guard !isServedElsewhere else { return }
    let isOpen = refusal.map { !Self.saysNothingOfOpen.contains($0) } ?? false
    let isCancelled = isCancelled(invoice.invoice.paymentHash)
    if refusal == nil, !isCancelled {
      report(.paidIsReceivedOnce, "The user is told that an invoice is cancelled, but it is open.")
    } else if isOpen, isCancelled, !invoice.mayStillBeCancelled {
      report(
        .paidIsReceivedOnce,
        "The user is told that an invoice stays open, but it is cancelled: \(refusal ?? "")")
    }
  }

  private static let saysNothingOfOpen = [
    NodeMachine.cancelUnknown, NodeMachine.notOpen, Request.beingCancelled,
  ]

  /// The phone answers for an app that is not running. The invoice may be cancelled all the same.
  mutating func phoneAnsweredCancel(_ request: UInt64) { invoicing.cancelIsGivenUp(request) }

  /// The phone answers after 10 s for a silent app, so the app itself must have no open cancellation either.
  var areCancelsAnswered: Bool {
    let open = lives.app?.value.wallet.requests.open ?? []
    return !invoicing.hasOpenCancel && !open.contains { $0.request.kind == .cancellation }
  }

  private func isCancelled(_ hash: Bytes32) -> Bool {
    container.part { invoicing.isCancelled(hash, in: $0.pointee) }
  }

  /// An invoice cancelled in the database that is left is open again if the copy, with which the wallet goes on, or the
  /// peer's backup has it as open. The peer's backup lacks cancellations made without a connection. A backup that the
  /// peer has not read yet is still stored.
  mutating func openAgain(leaving left: Container, for copy: Container) {
    var open = copy.node.invoices
    for backup in backups + backupsInFlight { open += backup.invoices }
    open.removeAll { copy.cancelled.contains($0.paymentHash) }
    invoicing.leave(left, open: open.map(\.paymentHash))
  }

  // MARK: Checks

  /// An invoice with a pending HTLC cannot be cancelled.
  mutating func checkCancel(of hash: Bytes32) {
    guard !isServedElsewhere else { return }
    let isComing = container.value.node.channel?.htlcs.contains { htlc in
      if case .failed? = htlc.removal { return false }
      return htlc.direction == .received && htlc.paymentHash == hash
    }
    if isComing == true {
      report(.paidIsReceivedOnce, "An invoice is cancelled while an HTLC of it is pending.")
    }
  }

  mutating func checkNotCancelled(_ receipt: Receipt) {
    if isCancelled(receipt.invoice.paymentHash) {
      report(.paidIsReceivedOnce, "A payment of a cancelled invoice is accepted.")
    }
  }
}
