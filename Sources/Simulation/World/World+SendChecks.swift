import Ground
import Guardrails
import Lightning

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
    guard case .addHTLC(let htlc) = message, settings.coordination == .baton,
      container.value.isOwned(by: life.claim)
    else { return }
    let isDurable = container.value.node.payments.pending.contains {
      $0.htlc == htlc.id && $0.paymentHash == htlc.paymentHash
    }
    if !isDurable { report(.sentOnce, "A payment leaves the wallet before it is durable.") }
  }

  /// Somebody else is paid.
  mutating func arrived(_ hash: Bytes32, _ htlc: UInt64) {
    guard let number = bill(of: hash) else { return }
    sends[number].arrivals.append(htlc)
    if sends[number].arrivals.count > 1 { report(.sentOnce, "A payee is paid twice for one invoice.") }
    let isKnown = container.value.node.payments.pending.contains { $0.paymentHash == hash && $0.htlc == htlc }
    if !isKnown, !sends[number].isForgotten, settings.coordination == .baton {
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
    guard !sends.isEmpty, settings.coordination == .baton, violation == nil else { return }
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

  /// What ends a task although its payment is not over: the phone wants its time back, or the node is somebody else's.
  func excuseTasks(after event: GuardEvent, _ life: inout Life) {
    guard life.excusedTasks != life.paymentTasks.generation else { return }
    switch event {
    case .backgroundTimeExpired, .terminationRequested, .node(.fenced), .node(.refused), .claimFailed: break
    default: guard event.lossOfContainer != nil else { return }
    }
    life.excusedTasks = life.paymentTasks.generation
  }

  /// The phone suspends the app: its tasks are over, or were taken from it.
  mutating func checkPaymentsLetSleep(_ app: Life) {
    guard !app.isFrozen, now - app.runningSince > Self.healthyAfter else { return }
    for entry in app.paymentTasks.entries where entry.task.generation > app.excusedTasks {
      guard let send = sends.first(where: { $0.invoice.paymentHash == entry.payment }),
        now - send.askedAt < LongLivedTasks.longest
      else { continue }
      report(.awakeForPayments, "The app is suspended while a payment of its own is under way.")
    }
  }

  /// When it has nothing more to think about. A task without its payment would keep it awake for three minutes.
  mutating func checkTasksOfPayments(_ life: Life) {
    guard life.paymentTasks.generation > 0, life.isIdle, violation == nil,
      case .app(let app) = life.guardValue
    else { return }
    let held = life.paymentTasks.entries.map(\.task.name)
    if app.paymentTasks.contains(where: { !held.contains($0) }) {
      report(.awakeForPayments, "The app has a task for a payment that is over.")
    }
    guard container.value.isOwned(by: life.claim) else { return }
    let pending = container.value.node.payments.pending.map(\.paymentHash)
    if life.paymentTasks.entries.contains(where: { $0.request == nil && !pending.contains($0.payment) }) {
      report(.awakeForPayments, "The app takes a payment that is over for one that is under way.")
    }
  }
}
