import Ground
import Guardrails
import Lightning
import Wallet

// What must never be with what the wallet pays: that money leaves it twice for one invoice, that a payment is lost or its
// end told wrongly; and that the app sleeps while it has a task for one, or stays awake without.
extension World {
  private func bill(of hash: Bytes32) -> Int? { sends.firstIndex { $0.invoice.paymentHash == hash } }

  /// As the tables of the real container have it: one row for each invoice that is not failed.
  mutating func store(_ change: PaymentChange) {
    let known = container.value.node.payments
    for offered in change.offered {
      let isPending = known.pending.contains { $0.paymentHash == offered.paymentHash }
      if isPending || container.value.past[offered.paymentHash] != nil {
        report(.sentOnce, "An invoice that is \(isPending ? "being paid" : "paid") is offered again.")
      }
    }
    for ended in change.ended {
      let isPending = known.pending.contains {
        $0.paymentHash == ended.payment.paymentHash && $0.htlc == ended.payment.htlc
      }
      if !isPending { report(.sentOnce, "A payment ends that the wallet has not under way.") }
      check(ended)
    }
    container.value.node.payments.apply(change)
    container.value.past.apply(change)
  }

  private mutating func check(_ ended: PaymentChange.Ended) {
    guard let number = bill(of: ended.payment.paymentHash), let htlc = ended.payment.htlc else { return }
    let bill = sends[number]
    if case .failed = ended.end { sends[number].hasFailed = true } else { sends[number].hasFailed = false }
    switch ended.end {
    case .paid(let preimage):
      if preimage != bill.invoice.preimage || !bill.arrivals.contains(htlc) {
        report(.sentOnce, "The wallet calls a payment paid that has not arrived.")
      }
    case .failed:
      if bill.arrivals.contains(htlc) {
        report(.sentOnce, "The wallet calls a payment failed that has arrived.")
      }
    }
  }

  /// What the peer keeps of the step would heal its loss; but for how long it does is the peer's affair.
  mutating func checkDurable(_ message: Message, of life: Life) {
    guard case .addHTLC(let htlc) = message, container.value.isOwned(by: life.claim) else { return }
    let isDurable = container.value.node.payments.pending.contains {
      $0.htlc == htlc.id && $0.paymentHash == htlc.paymentHash
    }
    if !isDurable { report(.sentOnce, "A payment leaves the wallet before it is durable.") }
  }

  /// One that was under way already, or about which nothing is known, may arrive all the same.
  mutating func noteRefusal(of number: Int, _ sentence: String) {
    let hash = sends[number].invoice.paymentHash
    let isKnown = container.value.node.payments.pending.contains { $0.paymentHash == hash }
    guard sends[number].isAskedOnce, !sends[number].hasArrived, sentence != NodeMachine.payUnknown else {
      return
    }
    sends[number].isRefused = true
    if isKnown {
      report(.sentOnce, "The person is told that nothing left, and the payment is under way.")
    }
  }

  /// Somebody else is paid.
  mutating func arrived(_ hash: Bytes32, _ htlc: UInt64) {
    guard let number = bill(of: hash) else { return }
    sends[number].arrivals.append(htlc)
    if sends[number].isRefused {
      report(.sentOnce, "A payment arrives of which the person was told that nothing left.")
    }
    if sends[number].arrivals.count > 1 { report(.sentOnce, "A payee is paid twice for one invoice.") }
    let isKnown = container.value.node.payments.pending.contains { $0.paymentHash == hash && $0.htlc == htlc }
    if !isKnown, !sends[number].isForgotten {
      report(.sentOnce, "A payee is paid, and the wallet has no such payment under way.")
    }
  }

  /// How a payment ended is nowhere but in the database that was lost.
  mutating func forgetSends(unknownTo copy: Container) {
    let (known, old) = (container.value.node.payments, copy.node.payments)
    func state(_ hash: Bytes32, _ payments: OutgoingPayments) -> OutgoingPayment? {
      payments.pending.first { $0.paymentHash == hash }
    }
    for index in sends.indices {
      let hash = sends[index].invoice.paymentHash
      if state(hash, known) != state(hash, old) || container.value.past[hash] != copy.past[hash] {
        sends[index].isForgotten = true
      }
    }
  }

  mutating func checkSendsAtTheEnd() {
    guard !sends.isEmpty, violation == nil else { return }
    let past = container.value.past
    for send in sends
    where !send.isForgotten && send.hasArrived != (past[send.invoice.paymentHash] == .paid) {
      report(
        .sentOnce,
        send.hasArrived
          ? "Money has left the wallet, and it knows of no such payment."
          : "The wallet calls a payment paid that has not arrived.")
    }
    let channel = peer.value.state.channel
    guard channel.htlcs.isEmpty else { return }
    let received = payments.filter { $0.state == .paid }.reduce(0) { $0 + $1.amountMsat }
    let sent = sends.filter(\.hasArrived).reduce(0) { $0 + $1.invoice.amountMsat }
    if channel.remoteMsat + sent + fundings.takenMsat != ChannelTerms.standard.walletMsat + received {
      report(.sentOnce, "The wallet's balance is not what it has received less what it has paid.")
    }
  }

  // MARK: The app stays awake

  /// The phone suspends the app: its tasks are over, or were taken from it.
  mutating func checkPaymentsLetSleep(_ app: Life) {
    guard !app.isFrozen, now - app.runningSince > Self.healthyAfter else { return }
    for open in app.wallet.requests.open where open.task.map({ $0.generation > app.excusedTasks }) == true {
      guard case .payment(let hash)? = open.key,
        let send = sends.first(where: { $0.invoice.paymentHash == hash }),
        now - send.askedAt < LongLivedTasks.longest
      else { continue }
      report(.awakeForPayments, "The app is suspended while a payment of its own is under way.")
    }
  }

  /// When it has nothing more to think about. A task without its request would keep it awake for three minutes.
  mutating func checkTasksOfPayments(_ life: Life) {
    let requests = life.wallet.requests
    guard requests.generation > 0, life.isIdle, violation == nil else { return }
    let held = requests.open.compactMap(\.task?.name)
    // Beside the tasks of requests there are the node's, and one that the world begins itself.
    let others = [LongLivedTask.multiPartPayment, .named(Self.task)]
    let names = life.wallet.guardrail.taskNames
    if names.contains(where: { !held.contains($0) && !others.contains(.named($0)) }) {
      report(.awakeForPayments, "The app has a task for a request that is over.")
    }
    guard container.value.isOwned(by: life.claim) else { return }
    // By what the process knows: a write whose answer was lost it will know when it has read the container again.
    let pending = life.wallet.node.durableState.payments.pending.map(\.paymentHash)
    for open in requests.open where open.isBegun {
      if case .payment(let hash)? = open.key, !pending.contains(hash) {
        report(.awakeForPayments, "The app takes a payment that is over for one that is under way.")
      }
    }
  }
}
