import Crypto
import Ground
import Wallet
import LightningProvider

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

  func invoice(ofRequest request: UInt64) -> ExternalInvoice? {
    all.last { $0.request == request }?.invoice
  }

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
