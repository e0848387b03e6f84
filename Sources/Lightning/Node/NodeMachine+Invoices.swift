import Ground

// Invoices of the wallet: stored before anybody sees them, and cancelled as long as nobody pays them. Neither needs the peer.
extension NodeMachine {
  static let givenUp = "the node was given up before this was stored; open the app and ask again"
  public static let notOpen =
    "the wallet has no open invoice with this payment hash: it is paid, cancelled already, or not of this wallet"
  static let cancelTooEarly =
    "the wallet's storage has failed, and it is not known whether the invoice is being paid; try again when the wallet is connected"
  static let beingPaid =
    "a payment of this invoice is in the channel already; look at `baton payments` when it is over"

  mutating func changeInvoice(_ change: NodeChange) -> [NodeDirective] {
    switch state {
    case .stopped, .draining: return change.refusal(.notHeld)
    default: break
    }
    if let failedSentence { return change.refusal(.because(failedSentence)) }
    guard step == nil else {
      invoiceChanges.append(change)
      return hurry()
    }
    // In this order: a container that is blocked says no more than that, and its first word is taken for the row's.
    return hurry() + store(change)
  }

  /// Behind the step under way, also when that is dropped, and behind what has come meanwhile: a payment that is here is not
  /// cancelled any more.
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
    // Of one that is cancelled a payment may be in the channel too, until it is failed back.
    guard node.invoices.contains(where: { $0.paymentHash == hash }) else { return Self.notOpen }
    return isBeingPaid(hash) ? Self.beingPaid : nil
  }

  /// Also by a part that waits for others: the user was told that it is coming.
  private func isBeingPaid(_ hash: Bytes32) -> Bool {
    (channel ?? node.channel)?.htlcs.contains { htlc in
      if case .failed? = htlc.removal { return false }
      return htlc.direction == .received && htlc.paymentHash == hash
    } ?? false
  }

  /// A backup of before would bring the invoice back to a wallet that loses its database. Without a connection the next one
  /// sends it.
  func backup(without cancelled: Bytes32?) -> [NodeOutgoing] {
    guard cancelled != nil, stage == .established, let channel = node.channel else { return [] }
    return [.backup(NodeBackup(channel: channel, open: node.invoices, accepted: node.accepted))]
  }

  /// Also what this step was to make durable.
  mutating func refuseInvoices(_ sentence: String, besides step: Step?) -> [NodeDirective] {
    let waiting = (step.map { [$0.change] } ?? []) + invoiceChanges
    invoiceChanges = []
    return waiting.flatMap { $0.refusal(.because(sentence)) }
  }
}

extension NodeChange {
  var isOfInvoice: Bool { newInvoice != nil || cancelled != nil }

  /// For whoever waits for an invoice to be stored or cancelled.
  func refusal(_ why: NodeRefusal) -> [NodeDirective] {
    (newInvoice.map { [.invoiceRefused(paymentHash: $0.paymentHash, why)] } ?? [])
      + (cancelled.map { [.cancelRefused(paymentHash: $0, why)] } ?? [])
  }

  /// The same for whoever waits to hear that it is.
  var invoiceAnswer: [NodeDirective] {
    (newInvoice.map { [.invoiceStored(paymentHash: $0.paymentHash)] } ?? [])
      + (cancelled.map { [.invoiceCancelled(paymentHash: $0)] } ?? [])
  }
}
