import Ground
import Guardrails
import Lightning
import PhonePolicy
import Wallet

// The person pays with the wallet. The phone hands it to an app in front, whose wallet does the rest; whoever owns the node in
// the end ends it.
extension World {
  public mutating func makeBill(amountMsat: UInt64? = nil, isKnown: Bool = true) {
    let bill = WorldSend(number: sends.count, amountMsat: amountMsat ?? UInt64(2000 + sends.count))
    sends.append(bill)
    if isKnown { tellPeer(.elsewhereInvoiceMade(bill.invoice)) }
  }

  mutating func send(_ number: Int, isKnown: Bool) {
    while sends.count <= number { makeBill(isKnown: isKnown) }
    guard sends.indices.contains(number) else { return }
    sendRequests &+= 1
    sends[number].answer = nil
    sends[number].isRefused = false
    sends[number].isAskedOnce = sends[number].request == 0
    sends[number].request = sendRequests
    sends[number].askedAt = now
    tellPhone(.appAsked(request: sendRequests, inFront: true))
  }

  mutating func postSend(ofRequest request: UInt64) {
    guard let bill = sends.last(where: { $0.request == request })?.invoice else { return }
    lives.app?.value.inbox.append(
      .requests(
        .asked(
          "\(request)",
          .payment(
            OutgoingPayment(
              paymentHash: bill.paymentHash, amountMsat: bill.amountMsat, paymentSecret: bill.paymentSecret)))
      ))
  }

  mutating func answerSend(_ request: String, _ answer: WorldSend.Answer) {
    guard let request = UInt64(request) else { return }
    tellPhone(.appAnswered(request: request))
    guard let number = sends.lastIndex(where: { $0.request == request }) else { return }
    sends[number].answer = answer
    if case .refused(let sentence) = answer { noteRefusal(of: number, sentence) }
  }

  mutating func refuseSend(ofRequest request: UInt64, _ sentence: String) {
    guard let number = sends.lastIndex(where: { $0.request == request }) else { return }
    if sends[number].answer == nil { sends[number].answer = .refused(sentence) }
  }

  // MARK: What is so

  /// Each is paid, or failed with the money back, and nobody waits for anything of it.
  var areSendsOver: Bool {
    guard !sends.isEmpty else { return true }
    let node = container.value.node
    return node.payments.pending.isEmpty && node.channel?.htlcs.isEmpty ?? true
      && peer.value.state.channel.htlcs.isEmpty && lives.app?.value.wallet.requests.open.isEmpty ?? true
  }
}
