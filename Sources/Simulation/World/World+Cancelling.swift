import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The person cancels an invoice of the wallet's, which somebody may be paying at that moment.
extension World {
  mutating func cancel(_ number: Int) {
    guard invoices.indices.contains(number), invoices[number].isStored,
      !invoices[number].isCancelled, invoices[number].cancelRequest == nil
    else { return }
    sendRequests &+= 1
    invoices[number].cancelRequest = sendRequests
    tellPhone(.invoiceWanted(request: sendRequests))
  }

  mutating func postCancel(ofRequest request: UInt64) {
    guard let wanted = invoices.last(where: { $0.cancelRequest == request })?.invoice else { return }
    lives.app?.value.inbox.append(
      .requests(.asked("\(request)", .cancellation(of: wanted.paymentHash))))
  }

  /// Nil: it is cancelled.
  mutating func answerCancel(_ request: String, _ refusal: String?) {
    guard let request = UInt64(request) else { return }
    tellPhone(.invoiceAnswered(request: request))
    guard let number = invoices.lastIndex(where: { $0.cancelRequest == request }) else { return }
    invoices[number].cancelRequest = nil
    let isOpen = refusal.map { !Self.saysNothingOfOpen.contains($0) } ?? false
    if refusal == nil, !invoices[number].isCancelled {
      report(.paidIsReceivedOnce, "The person is told that an invoice is cancelled, and it is open.")
    } else if isOpen, invoices[number].isCancelled {
      report(
        .paidIsReceivedOnce,
        "The person is told that an invoice stays open, and it is cancelled: \(refusal ?? "")")
    }
  }

  private static let saysNothingOfOpen = [
    NodeMachine.cancelUnknown, NodeMachine.notOpen, Request.beingCancelled,
  ]

  /// In the place of an app that is not there, or is gone: the invoice may be cancelled all the same.
  mutating func phoneAnsweredCancel(_ request: UInt64) {
    for number in invoices.indices where invoices[number].cancelRequest == request {
      invoices[number].cancelRequest = nil
    }
  }

  /// The phone answers after 10 s in the place of a silent app, so the app must have no cancellation open either.
  var areCancelsAnswered: Bool {
    let open = lives.app?.value.wallet.requests.open ?? []
    return invoices.allSatisfy { $0.cancelRequest == nil }
      && !open.contains { $0.request.kind == .cancellation }
  }

  mutating func noteCancelled(_ hash: Bytes32, _ isCancelled: Bool = true) {
    guard let number = invoices.lastIndex(where: { $0.invoice.paymentHash == hash }) else { return }
    invoices[number].isCancelled = isCancelled
  }

  /// What was cancelled since that copy was made is open again where the copy has it, or a backup of before: the peer has heard
  /// nothing of what was cancelled without a connection.
  mutating func openAgain(knownTo copy: Container) {
    var open = copy.node.invoices
    if let blob = peer.value.state.backup, case .backup(let backup) = NodeBackup.read(blob.array) {
      open += backup.invoices
    }
    open.removeAll { copy.cancelled.contains($0.paymentHash) }
    for invoice in open { noteCancelled(invoice.paymentHash, false) }
  }

  // MARK: What must not be

  /// Money that was shown as coming is not refused.
  mutating func checkCancel(of hash: Bytes32) {
    noteCancelled(hash)
    let isComing = container.value.node.channel?.htlcs.contains { htlc in
      if case .failed? = htlc.removal { return false }
      return htlc.direction == .received && htlc.paymentHash == hash
    }
    if isComing == true {
      report(.paidIsReceivedOnce, "An invoice is cancelled while a payment of it is in the channel.")
    }
  }

  mutating func checkNotCancelled(_ receipt: Receipt) {
    let hash = receipt.invoice.paymentHash
    if invoices.contains(where: { $0.invoice.paymentHash == hash && $0.isCancelled }) {
      report(.paidIsReceivedOnce, "A payment of an invoice is accepted that is cancelled.")
    }
  }
}
