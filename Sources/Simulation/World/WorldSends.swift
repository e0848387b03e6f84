import Crypto
import Ground
import Guardrails
import Lightning
import LightningProvider
import PhonePolicy
import Wallet

/// The user's outgoing payments, and their checks.
struct WorldSends: Hashable, Sendable {
  private(set) var all: [WorldSend] = []

  /// The sentence of a violation.
  typealias Fault = String

  private func index(of hash: Bytes32) -> Int? { all.firstIndex { $0.invoice.paymentHash == hash } }

  mutating func add(amountMsat: UInt64?) -> ExternalInvoice {
    let send = WorldSend(number: all.count, amountMsat: amountMsat ?? UInt64(2000 + all.count))
    all.append(send)
    return send.invoice
  }

  /// The user presses "send".
  mutating func ask(_ number: Int, as request: UInt64, at now: Instant) {
    all[number].answer = nil
    all[number].isRefused = false
    all[number].isAskedOnce = all[number].request == 0
    all[number].request = request
    all[number].askedAt = now
  }

  func invoice(ofRequest request: UInt64) -> ExternalInvoice? { all.last { $0.request == request }?.invoice }

  /// Checks a refusal of the first request. A payment that was pending before, or of unknown outcome, may still
  /// arrive.
  mutating func answer(_ request: UInt64, _ answer: WorldSend.Answer, _ pending: [OutgoingPayment]) -> Fault?
  {
    guard let number = all.lastIndex(where: { $0.request == request }) else { return nil }
    all[number].answer = answer
    guard case .refused(let sentence) = answer, all[number].isAskedOnce, !all[number].hasArrived,
      sentence != NodeMachine.payUnknown
    else { return nil }
    all[number].isRefused = true
    let isKnown = pending.contains { $0.paymentHash == all[number].invoice.paymentHash }
    return isKnown ? "The user is told that nothing was sent, but the payment is pending." : nil
  }

  /// The phone answers for an app that is not running or silent.
  mutating func phoneRefuses(_ request: UInt64, _ sentence: String) {
    guard let number = all.lastIndex(where: { $0.request == request }) else { return }
    if all[number].answer == nil { all[number].answer = .refused(sentence) }
  }

  /// A recipient is paid. `pending`: in the wallet's containers.
  mutating func arrived(_ hash: Bytes32, _ htlc: UInt64, _ pending: [OutgoingPayment]) -> Fault? {
    guard let number = index(of: hash) else { return nil }
    all[number].arrivals.append(htlc)
    if all[number].isRefused { return "A payment arrives although the user was told that nothing was sent." }
    if all[number].arrivals.count > 1 { return "A payee is paid twice for one invoice." }
    let isKnown = pending.contains { $0.paymentHash == hash && $0.htlc == htlc }
    guard !isKnown, !all[number].isForgotten else { return nil }
    return "A payee is paid, but the wallet has no such pending payment."
  }

  /// The wallet records an outcome.
  mutating func ended(_ ended: PaymentChange.Ended) -> Fault? {
    guard let number = index(of: ended.payment.paymentHash), let htlc = ended.payment.htlc else { return nil }
    let hasArrived = all[number].arrivals.contains(htlc)
    switch ended.end {
    case .paid(let preimage):
      all[number].hasFailed = false
      all[number].isForgotten = false
      let isTrue = preimage == all[number].invoice.preimage && hasArrived
      return isTrue ? nil : "The wallet marks a payment as paid that has not arrived."
    case .failed:
      all[number].hasFailed = true
      return hasArrived ? "The wallet marks a payment as failed that has arrived." : nil
    }
  }

  /// Marks payments whose outcome is only in the database that was replaced.
  mutating func forget(_ container: Container, unknownTo copy: Container) {
    func pending(_ hash: Bytes32, in container: Container) -> OutgoingPayment? {
      container.node.payments.pending.first { $0.paymentHash == hash }
    }
    for index in all.indices {
      let hash = all[index].invoice.paymentHash
      if pending(hash, in: container) != pending(hash, in: copy) || container.past[hash] != copy.past[hash] {
        all[index].isForgotten = true
      }
    }
  }

  /// The wallet moves to another container while these payments are pending: it may learn their outcomes there, where
  /// nothing is known of them.
  mutating func leave(_ payments: OutgoingPayments) {
    for payment in payments.pending {
      if let number = index(of: payment.paymentHash) { all[number].isForgotten = true }
    }
  }

  // MARK: At the end

  /// `pasts`: of the wallet's containers.
  func faultAtTheEnd(_ pasts: [PastPayments]) -> Fault? {
    for send in all where !send.isForgotten {
      let isPaid = pasts.contains { $0[send.invoice.paymentHash] == .paid }
      guard send.hasArrived != isPaid else { continue }
      return send.hasArrived
        ? "Money has left the wallet without a recorded payment."
        : "The wallet marks a payment as paid that has not arrived."
    }
    return nil
  }

  var arrivedMsat: UInt64 { all.filter(\.hasArrived).reduce(0) { $0 + $1.invoice.amountMsat } }
}

/// An external invoice that the user pays.
public struct WorldSend: Hashable, Sendable {
  /// The app's answer to the newest request.
  public enum Answer: Hashable, Sendable {
    case offered
    case refused(String)
  }

  public let invoice: ExternalInvoice
  public fileprivate(set) var answer: Answer?
  /// The phone's number of the newest request.
  fileprivate var request: UInt64 = 0
  /// The user has pressed "send" exactly once.
  fileprivate var isAskedOnce = false
  /// The first request was refused, and the user has not pressed "send" again.
  fileprivate var isRefused = false
  /// When the user pressed "send" last, by the peer's clock.
  fileprivate(set) var askedAt = Instant.zero
  /// The HTLCs that paid the recipient.
  public fileprivate(set) var arrivals: [UInt64] = []
  /// The wallet's record of it was lost with a database that an old copy replaced, or its outcome may have been seen
  /// on another device than that which sent it.
  public fileprivate(set) var isForgotten = false
  /// The last attempt failed.
  public fileprivate(set) var hasFailed = false

  public var hasArrived: Bool { !arrivals.isEmpty }

  init(number: Int, amountMsat: UInt64) {
    let preimage = Bytes32(word: 0xE15E_0000_0000_0000 &+ UInt64(number))
    invoice = ExternalInvoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: amountMsat,
      paymentSecret: Bytes32(word: 0xE15E_5EC0_0000_0000 &+ UInt64(number)), preimage: preimage)
  }
}

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

  mutating func sendIsAnswered(_ request: UInt64, _ answer: WorldSend.Answer) {
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

/// The senders that try again: one for each invoice that they pay.
extension [WorldSender] {
  func number(ofInvoice invoice: Int) -> Int? { firstIndex { $0.invoice == invoice } }

  func number(ofPayment payment: UInt64) -> Int? { firstIndex { $0.payments.last == payment } }

  /// The sender of that invoice; a new one's seed is the number of the invoice, from 1, as on real processes.
  mutating func sender(of invoice: Int, _ policy: RetryPolicy, spendableMsat: UInt64?) -> Int {
    if let known = number(ofInvoice: invoice) { return known }
    append(
      WorldSender(
        invoice: invoice, SenderSettings(policy, seed: UInt64(invoice) + 1, spendableMsat: spendableMsat)))
    return count - 1
  }

  /// Those that are due.
  func due(at now: Instant) -> [Int] {
    indices.filter { self[$0].machine.deadline.map { $0 <= now } ?? false }
  }

  var deadlines: [Instant] { compactMap(\.machine.deadline) }

  /// No attempt is under way, and none follows.
  var areOver: Bool { allSatisfy { $0.machine.state == .ended } }
}

/// One sender's payment of one invoice.
public struct WorldSender: Hashable, Sendable {
  public let invoice: Int
  public fileprivate(set) var machine: SenderMachine
  /// Its attempts, by the peer's numbers.
  public fileprivate(set) var payments: [UInt64] = []
  /// The newest report of an end.
  public internal(set) var told: SenderReport?

  fileprivate init(invoice: Int, _ settings: SenderSettings) {
    self.invoice = invoice
    machine = SenderMachine(settings)
  }
}

extension PaymentOutcome {
  /// Nil while the attempt is under way.
  var attemptAnswer: AttemptAnswer? {
    switch self {
    case .held, .offered: nil
    case .settled: .settled
    case .failed(.alreadyPending): .alreadyPending
    case .failed(.alreadyPaid): .alreadyPaid
    case .failed(let failure): .failed(FailureCode(rawValue: failure.code))
    }
  }
}

// Senders that try again, on the peer's clock, and what they are promised.
extension World {
  /// The user of the sender's wallet pays the invoice, or asks again after a failure.
  mutating func beginRetrying(_ invoice: Int) {
    let number = senders.sender(of: invoice, settings.retries, spendableMsat: settings.sendersHaveMsat)
    tellSender(
      number,
      .started(invoiceExpiresAt: invoices[invoice].expiresAt, amountMsat: invoices[invoice].amountMsat))
  }

  mutating func senderWakes(_ number: Int) {
    guard senders.indices.contains(number) else { return }
    tellSender(number, .deadlineReached)
  }

  /// After each answer of the peer.
  mutating func tellSender(ofPayment payment: UInt64, _ outcome: PaymentOutcome) {
    guard let number = senders.number(ofPayment: payment), let answer = outcome.attemptAnswer else { return }
    tellSender(number, .attemptAnswered(attempt: senders[number].machine.attempt, answer))
  }

  private mutating func tellSender(_ number: Int, _ event: SenderEvent) {
    for directive in senders[number].machine.handle(event, at: peerNow) {
      switch directive {
      case .attempt: attempt(number)
      case .find(let attempt):
        tellSender(
          number, isPeerDown ? .attemptLost(attempt: attempt) : .attemptFound(attempt: attempt, fate(number)))
      case .askHint(let attempt): tellSender(number, hint(number, attempt))
      case .report(let report):
        switch report {
        case .retrying, .skipped: break
        case .settled, .failed, .pending, .alreadyPending, .alreadyPaid, .refused:
          senders[number].told = report
          checkTold(number, report)
        }
      }
    }
  }

  /// The peer's hint. Without one the sender falls back to its schedule.
  private func hint(_ number: Int, _ attempt: Int) -> SenderEvent {
    guard !isPeerDown, !settings.losesHints || (number + attempt) % 4 != 3 else {
      return .hintFailed(attempt: attempt, .unreachable)
    }
    let amountMsat = invoices[senders[number].invoice].amountMsat
    let hint = peer.part { $0.pointee.hint(forAmountMsat: amountMsat, at: peerNow) }
    return .hintAnswered(attempt: attempt, hint)
  }

  private mutating func attempt(_ number: Int) {
    if isPeerDown {
      let attempt = senders[number].machine.attempt
      return tellSender(number, .attemptAnswered(attempt: attempt, .notSent(.notRunning)))
    }
    let invoice = senders[number].invoice
    let hash = invoices[invoice].invoice.paymentHash
    if peer.part({ $0.pointee.state.payments.contains { $0.request.paymentHash == hash } }) {
      report(.senderKnows, "A sender begins an attempt while an earlier one is under way.")
    }
    senders[number].told = nil
    let payment = numbers.payment()
    senders[number].payments.append(payment)
    request(invoice, part: 1, of: 1, as: payment)
  }

  /// The peer has restarted: its senders' connections are broken.
  mutating func breakSenderLinks() {
    for number in senders.indices where settings.retries != .off {
      tellSender(number, .attemptLost(attempt: senders[number].machine.attempt))
    }
  }

  /// What the peer knows of the sender's newest attempt.
  private func fate(_ number: Int) -> AttemptFate {
    guard let id = senders[number].payments.last else { return .neverArrived }
    if peer.part({ $0.pointee.state.payments.contains { $0.request.id == id } }) { return .inFlight }
    switch payments.first(where: { $0.id == id })?.state {
    case .paid?: return .ended(.settled)
    case .failed?: return .ended(.failed(FailureCode(rawValue: FailureCode.temporaryChannelFailure)))
    default: return .neverArrived
    }
  }

  // MARK: Checks

  private mutating func checkTold(_ number: Int, _ report: SenderReport) {
    let invoice = senders[number].invoice
    let hash = invoices[invoice].invoice.paymentHash
    let isPaid = payments.contains { $0.invoice == invoice && $0.state == .paid }
    let isUnderWay = peer.part { $0.pointee.state.payments.contains { $0.request.paymentHash == hash } }
    switch report {
    case .failed where isPaid: self.report(.senderKnows, "A sender is told “failed” of a settled payment.")
    case .failed where isUnderWay:
      self.report(.senderKnows, "A sender is told “failed” while its payment is under way.")
    case .pending where !isUnderWay:
      self.report(.senderKnows, "A sender is told “pending”, but no payment is under way.")
    default: break
    }
  }

  /// A payment to the wallet has settled.
  mutating func checkPaidOnce(_ payment: UInt64) {
    guard let paid = payments.last(where: { $0.id == payment }) else { return }
    let sum = payments.filter { $0.invoice == paid.invoice && $0.state == .paid }.reduce(0) {
      $0 + $1.amountMsat
    }
    if sum > invoices[paid.invoice].amountMsat {
      report(.senderKnows, "A sender pays twice for one invoice.")
    }
    guard let number = senders.number(ofInvoice: paid.invoice) else { return }
    if case .failed? = senders[number].told {
      report(.senderKnows, "A payment settles after its sender was told “failed”.")
    }
  }

  mutating func checkSendersAtTheEnd() {
    guard violation == nil, !isStateLost else { return }
    for sender in senders {
      let isPaid = payments.contains { $0.invoice == sender.invoice && $0.state == .paid }
      switch sender.told {
      case .settled? where isPaid: break
      case .failed? where !isPaid: break
      case nil, .settled?, .failed?, .pending?, .retrying?, .skipped?, .alreadyPending?, .alreadyPaid?,
        .refused?:
        report(.senderKnows, "At the end a sender was told another outcome than the real one.")
      }
    }
  }
}
