import Ground

/// A push to wake the wallet.
public struct PushRequest: Hashable, Codable, Sendable {
  public var reason: PushReason
  public var paymentHash: Bytes32?
  public var amountMsat: UInt64?
  /// Of Bitkit's form alone, as the fields after it: Phoenix's has only alerts.
  public var kind: PushKind?
  public var payment: UInt64?
  /// When the hold ends; nil if the payment is not held, or is in the channel already.
  public var holdUntil: Instant?

  public init(
    reason: PushReason, paymentHash: Bytes32? = nil, amountMsat: UInt64? = nil, kind: PushKind? = nil,
    payment: UInt64? = nil, holdUntil: Instant? = nil
  ) {
    self.reason = reason
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.kind = kind
    self.payment = payment
    self.holdUntil = holdUntil
  }

  /// In Bitkit's form: whether the payment waits for the wallet. In the channel it waits without an end.
  public var isHeld: Bool { holdUntil != nil || reason == .pendingSettlement }
}

/// How a push reaches the phone.
public enum PushKind: String, Hashable, Codable, Sendable, CaseIterable {
  /// For the app in the background, without an alert: best effort.
  case silent = "silent"
  /// Shown to the user, after the extension has rewritten it.
  case alert = "alert"
}
