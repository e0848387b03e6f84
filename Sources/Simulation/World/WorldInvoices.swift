import Crypto
import Ground
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
    all.append(
      WorldInvoice(invoice: invoice, preimage: preimage, amountMsat: amount, expiresAt: expiresAt))
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

  func paid(by id: UInt64) -> WorldInvoice? {
    payments.first { $0.id == id }.map { all[$0.invoice] }
  }

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

  fileprivate init(invoice: Invoice, preimage: Bytes32, amountMsat: UInt64, expiresAt: Instant?) {
    self.expiresAt = expiresAt
    self.invoice = invoice
    self.preimage = preimage
    self.amountMsat = amountMsat
  }
}

public struct WorldPayment: Hashable, Sendable {
  public enum State: Hashable, Sendable { case underWay, paid, failed }
  public let id: UInt64
  public let invoice: Int
  let amountMsat: UInt64
  fileprivate(set) var madeAt: Instant
  public fileprivate(set) var state = State.underWay

  fileprivate init(id: UInt64, invoice: Int, amountMsat: UInt64, madeAt: Instant) {
    self.id = id
    self.invoice = invoice
    self.amountMsat = amountMsat
    self.madeAt = madeAt
  }
}
