import Ground
import Guardrails
import Lightning
import Wallet
import PhonePolicy

// The user pays an external invoice. The phone passes the request to the app in front; the process that owns the
// node at the end closes the payment.
extension World {
  public mutating func makeExternalInvoice(amountMsat: UInt64? = nil, isKnown: Bool = true) {
    let invoice = sending.add(amountMsat: amountMsat)
    if isKnown { tellPeer(.externalInvoiceMade(invoice)) }
  }

  mutating func send(_ number: Int, isKnown: Bool) {
    while sends.count <= number { makeExternalInvoice(isKnown: isKnown) }
    guard sends.indices.contains(number) else { return }
    let request = numbers.request()
    sending.ask(number, as: request, at: peerNow)
    tellPhone(.appAsked(request: request, inFront: true))
  }

  mutating func postSend(ofRequest request: UInt64) {
    guard let invoice = sending.invoice(ofRequest: request) else { return }
    lives.app?.value.inbox.append(
      .requests(
        .asked(
          "\(request)",
          .payment(
            OutgoingPayment(
              paymentHash: invoice.paymentHash, amountMsat: invoice.amountMsat,
              paymentSecret: invoice.paymentSecret)))
      ))
  }

  mutating func answerSend(_ request: String, _ answer: WorldSend.Answer) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    report(.sentOnce, sending.answer(request, answer, pendingSends))
  }

  // MARK: State

  private var pendingSends: [OutgoingPayment] { container.value.node.payments.pending }

  /// Every outgoing payment is paid or failed, its HTLC is removed on both sides, and no request is open.
  var areSendsOver: Bool {
    guard !sends.isEmpty else { return true }
    let node = container.value.node
    return node.payments.pending.isEmpty && node.channel?.htlcs.isEmpty ?? true
      && peer.value.state.channel.htlcs.isEmpty && lives.app?.value.wallet.requests.open.isEmpty ?? true
  }

  // MARK: Checks

  /// As in the real container's table: one row per invoice, unless its payment failed.
  mutating func store(_ change: PaymentChange) {
    let known = pendingSends
    for offered in change.offered {
      let isPending = known.contains { $0.paymentHash == offered.paymentHash }
      if isPending || container.value.past[offered.paymentHash] != nil {
        report(.sentOnce, "An invoice that is \(isPending ? "being paid" : "paid") is offered again.")
      }
    }
    for ended in change.ended {
      let isPending = known.contains {
        $0.paymentHash == ended.payment.paymentHash && $0.htlc == ended.payment.htlc
      }
      if !isPending { report(.sentOnce, "A payment ends that is not pending in the wallet.") }
      report(.sentOnce, sending.ended(ended))
    }
    container.value.node.payments.apply(change)
    container.value.past.apply(change)
  }

  /// A recipient is paid.
  mutating func arrived(_ hash: Bytes32, _ htlc: UInt64) {
    report(.sentOnce, sending.arrived(hash, htlc, containers.flatMap(\.node.payments.pending)))
  }

  /// The peer's backup could repair a lost step, but how long the peer keeps a backup is not guaranteed.
  mutating func checkDurable(_ message: Message, of life: Life) {
    guard case .addHTLC(let htlc) = message, container.value.isOwned(by: life.claim) else { return }
    let isDurable = pendingSends.contains { $0.htlc == htlc.id && $0.paymentHash == htlc.paymentHash }
    if !isDurable { report(.sentOnce, "A payment leaves the wallet before it is durable.") }
  }

  mutating func checkSendsAtTheEnd() {
    guard !sends.isEmpty, violation == nil, !isStateLost else { return }
    report(.sentOnce, sending.faultAtTheEnd(containers.map(\.past)))
    let channel = peer.value.state.channel
    guard channel.htlcs.isEmpty else { return }
    let owned = channel.remoteMsat + sending.arrivedMsat + splices.takenMsat
    if owned != ChannelTerms.standard.walletMsat + invoicing.receivedMsat {
      report(.sentOnce, "The wallet's balance is not the initial one plus received less sent amounts.")
    }
  }
}
