import Ground

/// A push to wake the wallet.
public struct PushRequest: Hashable, Codable, Sendable {
  public var reason: PushReason
  public var paymentHash: Bytes32?
  public var amountMsat: UInt64?

  public init(reason: PushReason, paymentHash: Bytes32? = nil, amountMsat: UInt64? = nil) {
    self.reason = reason
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
  }
}
