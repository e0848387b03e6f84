import Crypto
import Ground
import LightningNode
import LightningProvider

/// What the user has paid with the wallet, or wanted to: invoices of somebody else's, and what must never be with them.
struct WorldSends: Hashable, Sendable {
  private(set) var all: [WorldSend] = []

  /// What is wrong, in one sentence.
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

  func invoice(ofRequest request: UInt64) -> ExternalInvoice? {
    all.last { $0.request == request }?.invoice
  }

  /// One that was under way already, or about which nothing is known, may arrive all the same.
  mutating func answer(_ request: UInt64, _ answer: WorldSend.Answer, _ pending: [OutgoingPayment]) -> Fault?
  {
    guard let number = all.lastIndex(where: { $0.request == request }) else { return nil }
    all[number].answer = answer
    guard case .refused(let sentence) = answer, all[number].isAskedOnce, !all[number].hasArrived,
      sentence != NodeMachine.payUnknown
    else { return nil }
    all[number].isRefused = true
    let isKnown = pending.contains { $0.paymentHash == all[number].invoice.paymentHash }
    return isKnown ? "The user is told that nothing left, and the payment is under way." : nil
  }

  /// By the phone, in the app's place.
  mutating func phoneRefuses(_ request: UInt64, _ sentence: String) {
    guard let number = all.lastIndex(where: { $0.request == request }) else { return }
    if all[number].answer == nil { all[number].answer = .refused(sentence) }
  }

  /// Somebody else is paid.
  mutating func arrived(_ hash: Bytes32, _ htlc: UInt64, _ pending: [OutgoingPayment]) -> Fault? {
    guard let number = index(of: hash) else { return nil }
    all[number].arrivals.append(htlc)
    if all[number].isRefused { return "A payment arrives of which the user was told that nothing left." }
    if all[number].arrivals.count > 1 { return "A payee is paid twice for one invoice." }
    let isKnown = pending.contains { $0.paymentHash == hash && $0.htlc == htlc }
    guard !isKnown, !all[number].isForgotten else { return nil }
    return "A payee is paid, and the wallet has no such payment under way."
  }

  /// By what the wallet knows.
  mutating func ended(_ ended: PaymentChange.Ended) -> Fault? {
    guard let number = index(of: ended.payment.paymentHash), let htlc = ended.payment.htlc else { return nil }
    let hasArrived = all[number].arrivals.contains(htlc)
    switch ended.end {
    case .paid(let preimage):
      all[number].hasFailed = false
      let isSo = preimage == all[number].invoice.preimage && hasArrived
      return isSo ? nil : "The wallet calls a payment paid that has not arrived."
    case .failed:
      all[number].hasFailed = true
      return hasArrived ? "The wallet calls a payment failed that has arrived." : nil
    }
  }

  /// How a payment ended is nowhere but in the database that was lost.
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

  // MARK: At the end

  func faultAtTheEnd(_ past: PastPayments) -> Fault? {
    for send in all
    where !send.isForgotten && send.hasArrived != (past[send.invoice.paymentHash] == .paid) {
      return send.hasArrived
        ? "Money has left the wallet, and it knows of no such payment."
        : "The wallet calls a payment paid that has not arrived."
    }
    return nil
  }

  var arrivedMsat: UInt64 { all.filter(\.hasArrived).reduce(0) { $0 + $1.invoice.amountMsat } }
}

/// An invoice of somebody else's, which the user pays with the wallet.
public struct WorldSend: Hashable, Sendable {
  /// What the app says to the user who pressed "send" last.
  public enum Answer: Hashable, Sendable {
    case offered
    case refused(String)
  }

  public let invoice: ExternalInvoice
  public fileprivate(set) var answer: Answer?
  /// The phone's number of the newest request.
  fileprivate var request: UInt64 = 0
  /// The user has pressed "send" for it once.
  fileprivate var isAskedOnce = false
  /// The user was told once that nothing left, and has not pressed "send" again.
  fileprivate var isRefused = false
  /// When the user pressed "send" last.
  fileprivate(set) var askedAt = Instant.zero
  /// The HTLCs with which it has come to whoever made the invoice.
  public fileprivate(set) var arrivals: [UInt64] = []
  /// What the wallet knew of it went with a database, in the place of which an old copy was put.
  public fileprivate(set) var isForgotten = false
  /// The last time that it was paid: the money is back.
  public fileprivate(set) var hasFailed = false

  public var hasArrived: Bool { !arrivals.isEmpty }

  init(number: Int, amountMsat: UInt64) {
    let preimage = Bytes32(word: 0xE15E_0000_0000_0000 &+ UInt64(number))
    invoice = ExternalInvoice(
      paymentHash: SHA256.hash(preimage.bytes), amountMsat: amountMsat,
      paymentSecret: Bytes32(word: 0xE15E_5EC0_0000_0000 &+ UInt64(number)), preimage: preimage)
  }
}
