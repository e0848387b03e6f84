import Ground

// Invoices of the wallet: stored before they are shown, and cancelled only while no payment is pending. Neither
// needs the peer.
extension NodeMachine {
  static let givenUp =
    "the node was stopped before it stored the request; open the app and repeat the request"
  public static let notOpen =
    "the wallet has no open invoice with this payment hash: it is paid, already cancelled, or not of this wallet"
  static let cancelTooEarly =
    "the wallet's storage has failed, and a payment of the invoice may be pending; try again when the wallet is connected"
  static let beingPaid =
    "a payment of this invoice is pending in the channel; see `baton list payments` for its result"

  mutating func changeInvoice(_ change: NodeChange) -> [NodeDirective] {
    switch state {
    case .stopped, .draining: return change.refusal(.notHeld)
    default: break
    }
    if let failedSentence { return change.refusal(.because(failedSentence)) }
    guard step == nil else {
      invoiceChanges.append(change)
      return endPause()
    }
    // In this order: `storeBlocked` does not say which order was blocked, and the first one is taken for the row's.
    return endPause() + store(change)
  }

  /// After the step under way, also when that is dropped, and after the messages received meanwhile: an invoice with
  /// a pending payment is not cancelled.
  mutating func storeInvoiceChanges() -> [NodeDirective] {
    var directives: [NodeDirective] = []
    while step == nil, !invoiceChanges.isEmpty { directives += store(invoiceChanges.removeFirst()) }
    return directives
  }

  private mutating func store(_ change: NodeChange) -> [NodeDirective] {
    if let hash = change.cancelled, let objection = objection(toCancelling: hash) {
      return change.refusal(.because(objection))
    }
    step = Step(change: change)
    return write(change)
  }

  private func objection(toCancelling hash: Bytes32) -> String? {
    if isBehindContainer { return Self.cancelTooEarly }
    // A cancelled invoice may have a payment in the channel too, until that is failed back.
    guard node.invoices.contains(where: { $0.paymentHash == hash }) else { return Self.notOpen }
    return isBeingPaid(hash) ? Self.beingPaid : nil
  }

  /// Also by a part that waits for others: the user was notified of it.
  private func isBeingPaid(_ hash: Bytes32) -> Bool {
    (channel ?? node.channel)?.htlcs.contains { htlc in
      if case .failed? = htlc.removal { return false }
      return htlc.direction == .received && htlc.paymentHash == hash
    } ?? false
  }

  /// An older backup would bring the cancelled invoice back to a wallet that loses its database. Without a
  /// connection the next one sends the backup.
  func backup(without cancelled: Bytes32?) -> [NodeOutgoing] {
    guard cancelled != nil, stage == .established, let channel = node.channel else { return [] }
    return [.backup(of: channel, open: node.invoices, accepted: node.accepted)]
  }

  /// Refuses the waiting changes, and that of `step`.
  mutating func refuseInvoices(_ sentence: String, besides step: Step?) -> [NodeDirective] {
    let waiting = (step.map { [$0.change] } ?? []) + invoiceChanges
    invoiceChanges = []
    return waiting.flatMap { $0.refusal(.because(sentence)) }
  }
}

extension NodeChange {
  var isOfInvoice: Bool { newInvoice != nil || cancelled != nil }

  /// The answer when the invoice was not stored or not cancelled.
  func refusal(_ why: NodeRefusal) -> [NodeDirective] {
    (newInvoice.map { [.invoiceRefused(paymentHash: $0.paymentHash, why)] } ?? [])
      + (cancelled.map { [.cancelRefused(paymentHash: $0, why)] } ?? [])
  }

  /// The answer when the invoice was stored or cancelled.
  var invoiceAnswer: [NodeDirective] {
    (newInvoice.map { [.invoiceStored(paymentHash: $0.paymentHash)] } ?? [])
      + (cancelled.map { [.invoiceCancelled(paymentHash: $0)] } ?? [])
  }
}
