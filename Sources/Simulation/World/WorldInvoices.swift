import Crypto
import Ground
import Guardrails
import LightningProvider
import PhonePolicy
import Wallet

/// The wallet's invoices and the payments to them.
struct WorldInvoices: Hashable, Sendable {
  /// In order of creation.
  private(set) var all: [WorldInvoice] = []
  private(set) var payments: [WorldPayment] = []
  /// Cancelled in a database that was replaced or left, and open in none of its copies.
  private var closedBefore: [Bytes32] = []

  subscript(hash: Bytes32) -> WorldInvoice? { all.last { $0.invoice.paymentHash == hash } }

  private mutating func change(_ hash: Bytes32, _ change: (inout WorldInvoice) -> Void) {
    if let index = all.lastIndex(where: { $0.invoice.paymentHash == hash }) { change(&all[index]) }
  }

  // MARK: Invoices

  /// Without `Rule.completeSet` the invoice asks for half the amount, so that one of two parts is enough.
  mutating func make(
    amountMsat: UInt64?, text: String, asksForAll: Bool, expiresAt: Instant?
  ) -> (number: Int, Invoice) {
    let number = UInt64(all.count)
    let preimage = Bytes32(word: number &+ 1)
    // Even, so that it can be halved.
    let amount = amountMsat ?? 1000 + 2 * number
    let invoice = Invoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: asksForAll ? amount : amount / 2, text: text,
      tweak: preimage, expiresAt: 0, paymentSecret: Bytes32(word: UInt64.max - number))
    all.append(WorldInvoice(invoice: invoice, preimage: preimage, amountMsat: amount, expiresAt: expiresAt))
    return (all.count - 1, invoice)
  }

  mutating func noteStored(_ hash: Bytes32) { change(hash) { $0.isStored = true } }

  /// Stored invoices without a payment.
  var unpaid: [Int] { all.indices.filter { all[$0].isStored && !all[$0].isPaid } }

  // MARK: Payments

  /// One part of `count`; the last part is the remainder.
  mutating func pay(_ index: Int, part: Int, of count: Int, as id: UInt64, at now: Instant) -> WorldPayment {
    let total = all[index].amountMsat
    let each = total / UInt64(count)
    let payment = WorldPayment(
      id: id, invoice: index, amountMsat: part == count ? total - each * UInt64(count - 1) : each, madeAt: now
    )
    payments.append(payment)
    all[index].isPaid = true
    return payment
  }

  func paid(by id: UInt64) -> WorldInvoice? { payments.first { $0.id == id }.map { all[$0.invoice] } }

  /// Returns how long its sender has waited.
  mutating func noteSettled(_ id: UInt64, at now: Instant) -> TimeSpan? {
    guard let index = payments.lastIndex(where: { $0.id == id }) else { return nil }
    payments[index].state = .paid
    return now - payments[index].madeAt
  }

  mutating func noteFailed(_ id: UInt64) {
    if let index = payments.lastIndex(where: { $0.id == id }) { payments[index].state = .failed }
  }

  var receivedMsat: UInt64 { payments.filter { $0.state == .paid }.reduce(0) { $0 + $1.amountMsat } }

  mutating func startAnew() { for index in payments.indices { payments[index].madeAt = .zero } }

  // MARK: Cancellations

  func mayBeCancelled(_ number: Int, in container: Container) -> Bool {
    all.indices.contains(number) && all[number].isStored && all[number].cancelRequest == nil
      && !isCancelled(all[number].invoice.paymentHash, in: container)
  }

  func isCancelled(_ hash: Bytes32, in container: Container) -> Bool {
    container.cancelled.contains(hash) || closedBefore.contains(hash)
  }

  /// The wallet goes on with another database, where these invoices are open.
  mutating func leave(_ container: Container, open: [Bytes32]) {
    closedBefore += container.cancelled.filter { !closedBefore.contains($0) }
    closedBefore.removeAll { open.contains($0) }
  }

  mutating func cancel(_ number: Int, as request: UInt64) { all[number].cancelRequest = request }

  func cancelled(by request: UInt64) -> Invoice? { all.last { $0.cancelRequest == request }?.invoice }

  /// Nil if no cancellation has this request.
  mutating func cancelIsAnswered(_ request: UInt64) -> WorldInvoice? {
    guard let number = all.lastIndex(where: { $0.cancelRequest == request }) else { return nil }
    all[number].cancelRequest = nil
    return all[number]
  }

  /// The phone has given the request up; the app may still carry it out.
  mutating func cancelIsGivenUp(_ request: UInt64) {
    guard let number = all.lastIndex(where: { $0.cancelRequest == request }) else { return }
    all[number].cancelRequest = nil
    all[number].mayStillBeCancelled = true
  }

  var hasOpenCancel: Bool { all.contains { $0.cancelRequest != nil } }
}

/// An invoice that the user requested.
public struct WorldInvoice: Hashable, Sendable {
  public let invoice: Invoice
  let preimage: Bytes32
  /// The amount that the sender pays.
  let amountMsat: UInt64
  /// On the senders' clock; nil: not during the run.
  public let expiresAt: Instant?
  public fileprivate(set) var isStored = false
  public fileprivate(set) var isPaid = false
  /// The phone's number of the cancellation request, until its answer.
  fileprivate var cancelRequest: UInt64?
  /// An earlier cancellation was never answered: a later one's refusal does not say that the invoice is open.
  fileprivate(set) var mayStillBeCancelled = false
}

public struct WorldPayment: Hashable, Sendable {
  public enum State: Hashable, Sendable { case underWay, paid, failed }
  public let id: UInt64
  public let invoice: Int
  let amountMsat: UInt64
  fileprivate(set) var madeAt: Instant
  public fileprivate(set) var state = State.underWay
}

// The user cancels an invoice of the wallet, possibly while a sender pays it.
extension World {
  mutating func cancel(_ number: Int) {
    guard container.part({ invoicing.mayBeCancelled(number, in: $0.pointee) }) else { return }
    let request = numbers.request()
    invoicing.cancel(number, as: request)
    tellPhone(.appAsked(request: request, inFront: false))
  }

  /// `refusal` nil: the invoice is cancelled.
  mutating func cancelIsAnswered(_ request: UInt64, _ refusal: String?) {
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

/// What the peer has announced to a wallet that is away, by its pushes alone.
struct WorldAnnouncements: Hashable, Sendable {
  /// Since when no connection is accepted, by the peer's clock, without the time in which the device sleeps: the peer
  /// does nothing then. Nil while one is.
  private var awaySince: Instant? = .zero
  /// The calls since the last payment that did not end at once, as of the beginning of the absence.
  private var callsBefore = 0
  private var calls = 0
  private var calledAt: Instant?
  private var toldHashes: Set<Bytes32> = []

  /// A timer of the peer may be late: the moves have no order.
  private static let late = TimeSpan.seconds(5)

  mutating func noteLeft(at now: Instant) {
    awaySince = now
    callsBefore = calls
    toldHashes = []
  }

  mutating func noteStart(at now: Instant) {
    calls = 0
    noteLeft(at: now)
  }

  mutating func noteConnection(_ isConnected: Bool, at now: Instant) {
    if isConnected { awaySince = nil } else if awaySince == nil { noteLeft(at: now) }
  }

  mutating func noteSleep(_ span: TimeSpan) { awaySince = awaySince.map { $0 + span } }

  mutating func noteNews() { calls = 0 }

  /// Several at one time are one call.
  mutating func note(_ push: PushRequest, at now: Instant) {
    guard push.kind == .alert, let hash = push.paymentHash else { return }
    toldHashes.insert(hash)
    if calledAt != now { calls += 1 }
    calledAt = now
  }

  /// A payment that waits, and should have been announced by now.
  func missing(of payments: [PeerPayment], at now: Instant) -> PeerPayment? {
    guard let awaySince else { return nil }
    var hashesAhead: Set<Bytes32> = []
    for payment in payments {
      let hash = payment.request.paymentHash
      let due =
        awaySince + AnnouncementPace.pause(AnnouncementPace.first, after: callsBefore)
        + AnnouncementPace.delay(behind: hashesAhead.count)
      if !toldHashes.contains(hash), now > due + Self.late { return payment }
      hashesAhead.insert(hash)
    }
    return nil
  }
}
