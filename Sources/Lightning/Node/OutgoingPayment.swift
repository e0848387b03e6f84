import Ground
import LightningChannel

/// A payment of the wallet's own, as its invoice asks for it.
public struct OutgoingPayment: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var paymentSecret: Bytes32
  /// Its number in the channel, once it is offered there.
  public var htlc: UInt64?

  public init(paymentHash: Bytes32, amountMsat: UInt64, paymentSecret: Bytes32, htlc: UInt64? = nil) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.paymentSecret = paymentSecret
    self.htlc = htlc
  }

  /// What a channel tells of it, when everything else is lost.
  init(_ htlc: HTLC) {
    self.init(
      paymentHash: htlc.paymentHash, amountMsat: htlc.amountMsat,
      paymentSecret: htlc.paymentData?.secret ?? .zero, htlc: htlc.id)
  }
}

/// How it ended.
public enum PaymentEnd: Hashable, Codable, Sendable {
  /// With the proof.
  case paid(preimage: Bytes32)
  /// The money is back. With a failure code of BOLT 4.
  case failed(code: UInt16)
}

/// What the node knows of the payments it has begun: no more than its channel holds. What is over it does not keep, as
/// there is no end to that; whoever wants a payment says what the container has of its hash.
public struct OutgoingPayments: Hashable, Codable, Sendable {
  /// In the channel; the oldest first.
  public var pending: [OutgoingPayment]

  public init(pending: [OutgoingPayment] = []) { self.pending = pending }

  public mutating func apply(_ change: PaymentChange) {
    pending += change.offered
    for ended in change.ended {
      pending.removeAll { $0.paymentHash == ended.payment.paymentHash }
    }
  }

  /// With a channel from a backup.
  public mutating func follow(_ channel: Channel) {
    pending = restored(by: channel) { _ in false }.onTheirWay
  }

  /// What is in the channel is on its way, or ended as it stands there; of what is not nobody knows how it ended.
  public func restored(
    by channel: Channel, isOver: (Bytes32) throws -> Bool
  ) rethrows -> RestoredPayments {
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

/// What a channel from a backup says of the payments that an older database knew, or did not know.
public struct RestoredPayments: Hashable, Sendable {
  public struct Known: Hashable, Sendable {
    public var payment: OutgoingPayment
    /// Nil while it is on its way.
    public var end: PaymentEnd?
  }

  public var known: [Known]
  public var lost: [Bytes32]

  var onTheirWay: [OutgoingPayment] { known.filter { $0.end == nil }.map(\.payment) }
}

/// What one step does to them.
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
  /// Signed for by the other side: that was said, and made durable, in the step that brought it.
  fileprivate var paymentEnd: PaymentEnd? {
    guard state.isBeingRemoved, state != .receivedRemove else { return nil }
    switch removal {
    case .fulfilled(let preimage?): return .paid(preimage: preimage)
    case .failed(let code): return .failed(code: code)
    case .fulfilled(nil), nil: return nil
    }
  }
}
