import Ground
import Lightning

/// An outgoing payment, with the values of its invoice.
public struct OutgoingPayment: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var paymentSecret: Bytes32
  /// The HTLC's id, once it is offered.
  public var htlc: UInt64?

  public init(paymentHash: Bytes32, amountMsat: UInt64, paymentSecret: Bytes32, htlc: UInt64? = nil) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.paymentSecret = paymentSecret
    self.htlc = htlc
  }

  /// From the channel's HTLC alone, when the payment's row is lost.
  init(_ htlc: HTLC) {
    self.init(
      paymentHash: htlc.paymentHash, amountMsat: htlc.amountMsat,
      paymentSecret: htlc.paymentData?.secret ?? .zero, htlc: htlc.id)
  }
}

/// How a payment ended.
public enum PaymentEnd: Hashable, Codable, Sendable {
  case paid(preimage: Bytes32)
  /// The amount is back in the balance. With a failure code of BOLT 4.
  case failed(code: UInt16)
}

/// The node's pending payments. Their number is bounded by the channel. Ended payments are not kept in memory: a
/// request to pay comes with the container's record of its hash.
public struct OutgoingPayments: Hashable, Codable, Sendable {
  /// The oldest first.
  public var pending: [OutgoingPayment]

  public init(pending: [OutgoingPayment] = []) { self.pending = pending }

  public mutating func apply(_ change: PaymentChange) {
    pending += change.offered
    for ended in change.ended {
      pending.removeAll { $0.paymentHash == ended.payment.paymentHash }
    }
  }

  /// Applies a channel from a backup.
  public mutating func follow(_ channel: Channel) {
    pending = restored(by: channel) { _ in false }.onTheirWay
  }

  /// A payment in the channel is pending, or has ended as the HTLC says; the end of one that is not in the channel
  /// is lost.
  public func restored(by channel: Channel, isOver: (Bytes32) throws -> Bool) rethrows -> RestoredPayments {
    let offers = channel.htlcs.filter { $0.direction == .offered }
    let known = try offers.filter { try !isOver($0.paymentHash) }.map { htlc in
      RestoredPayments.Known(
        payment: pending.first { $0.paymentHash == htlc.paymentHash && $0.htlc == htlc.id }
          ?? OutgoingPayment(htlc), end: htlc.paymentEnd)
    }
    let lost = pending.filter { payment in !offers.contains { $0.paymentHash == payment.paymentHash } }
    return RestoredPayments(known: known, lost: lost.map(\.paymentHash))
  }
}

/// The payments of a channel from a backup, and those of the older database that the channel does not have.
public struct RestoredPayments: Hashable, Sendable {
  public struct Known: Hashable, Sendable {
    public var payment: OutgoingPayment
    /// Nil while the payment is pending.
    public var end: PaymentEnd?
  }

  public var known: [Known]
  public var lost: [Bytes32]

  var onTheirWay: [OutgoingPayment] { known.filter { $0.end == nil }.map(\.payment) }
}

/// The change of outgoing payments in one step.
public struct PaymentChange: Hashable, Codable, Sendable {
  public struct Ended: Hashable, Codable, Sendable {
    public var payment: OutgoingPayment
    public var end: PaymentEnd

    public init(payment: OutgoingPayment, end: PaymentEnd) {
      self.payment = payment
      self.end = end
    }
  }

  public var offered: [OutgoingPayment]
  public var ended: [Ended]

  public init(offered: [OutgoingPayment] = [], ended: [Ended] = []) {
    self.offered = offered
    self.ended = ended
  }
}

extension HTLC {
  /// The end of the payment, once the peer's commitment has it: that step has reported and stored it.
  fileprivate var paymentEnd: PaymentEnd? {
    guard state.isBeingRemoved, state != .receivedRemove else { return nil }
    switch removal {
    case .fulfilled(let preimage?): return .paid(preimage: preimage)
    case .failed(let code): return .failed(code: code)
    case .fulfilled(nil), nil: return nil
    }
  }
}
