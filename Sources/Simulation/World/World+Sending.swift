import Ground
import Guardrails
import Lightning
import PhonePolicy

// The person pays with the wallet. The way is that of the real one: the phone hands it to an app in front, the app begins a
// task for it and asks its node, and whoever owns the node in the end ends it.
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
    sends[number].request = sendRequests
    sends[number].askedAt = now
    tellPhone(.paymentWanted(request: sendRequests))
  }

  mutating func postSend(ofRequest request: UInt64) {
    guard let number = sends.lastIndex(where: { $0.request == request }) else { return }
    lives.app?.value.inbox.append(.send(number))
  }

  mutating func hearOfSend(_ number: Int, _ life: inout Life) {
    let bill = sends[number].invoice
    guard
      let task = life.paymentTasks.begin(
        bill.paymentHash, amountMsat: bill.amountMsat, for: "\(sends[number].request)")
    else { return answerSend(ofRequest: sends[number].request, .refused(PaymentTasks.underWay)) }
    life.guardQueue.append(.taskBegan(task))
    life.nodeQueue.append(
      .payRequested(
        OutgoingPayment(
          paymentHash: bill.paymentHash, amountMsat: bill.amountMsat, paymentSecret: bill.paymentSecret)))
  }

  /// The shell looks into the container in the moment in which it tells the node.
  func withPast(_ event: NodeEvent) -> NodeEvent {
    guard case .payRequested(let payment, _) = event else { return event }
    return .payRequested(payment, past: container.value.past[payment.paymentHash])
  }

  // MARK: What the node says

  mutating func paymentOffered(_ hash: Bytes32, _ life: inout Life) {
    answer(life.paymentTasks.offered(hash), .offered)
  }

  mutating func paymentRefused(_ hash: Bytes32, _ sentence: String, _ life: inout Life) {
    let entry = life.paymentTasks.end(hash)
    endTask(of: entry, &life)
    answer(entry, .refused(sentence))
  }

  mutating func paymentEnded(_ hash: Bytes32, _ life: inout Life) {
    endTask(of: life.paymentTasks.end(hash), &life)
  }

  mutating func noteNodeStart(_ life: inout Life) {
    let pending = life.claimedState.payments.pending.map(\.paymentHash)
    for entry in life.paymentTasks.nodeStarted(pending: pending) { endTask(of: entry, &life) }
  }

  private func endTask(of entry: PaymentTasks.Entry?, _ life: inout Life) {
    guard let entry else { return }
    life.posted.append(Life.Posted(event: .taskEnded(entry.task), nodeStarts: nil))
  }

  private mutating func answer(_ entry: PaymentTasks.Entry?, _ answer: WorldSend.Answer) {
    guard let request = entry?.request.flatMap({ UInt64($0) }) else { return }
    answerSend(ofRequest: request, answer)
  }

  private mutating func answerSend(ofRequest request: UInt64, _ answer: WorldSend.Answer) {
    tellPhone(.invoiceAnswered(request: request))
    guard let number = sends.lastIndex(where: { $0.request == request }) else { return }
    sends[number].answer = answer
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
      && peer.value.state.channel.htlcs.isEmpty && lives.app?.value.paymentTasks.entries.isEmpty ?? true
  }
}
