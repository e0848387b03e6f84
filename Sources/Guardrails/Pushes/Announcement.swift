import Ground

/// What a push tells of an event for which the user must open the app. It is news, not a claim: whether a payment
/// was received is known to the node alone.
public struct Announcement: Hashable, Codable, Sendable {
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    case incomingHtlc
    /// A payment that opens a channel.
    case cjitPaymentArrived
    case orderPaymentConfirmed
    case mutualClose
  }

  public var kind: Kind
  public var paymentHash: Bytes32?
  public var amountMsat: UInt64?
  /// The peer holds the payment until the wallet connects. False if the push does not say so.
  public var isHeld: Bool
  /// In seconds of the wall clock; nil if the push does not name it.
  public var holdEndsAt: Int64?

  public init(
    kind: Kind, paymentHash: Bytes32? = nil, amountMsat: UInt64? = nil, isHeld: Bool = false,
    holdEndsAt: Int64? = nil
  ) {
    self.kind = kind
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.isHeld = isHeld
    self.holdEndsAt = holdEndsAt
  }

  /// The payment that the app is to receive; nil for other news.
  public var payment: Bytes32? { kind == .incomingHtlc || kind == .cjitPaymentArrived ? paymentHash : nil }

  /// What the app finds when the user opens it; nil for anything but a payment that names its hash and amount.
  public var record: IncomingRecord? {
    guard let payment, let amountMsat else { return nil }
    return IncomingRecord(
      paymentHash: payment, amountMsat: amountMsat, kind: kind, isHeld: isHeld, holdEndsAt: holdEndsAt)
  }
}
