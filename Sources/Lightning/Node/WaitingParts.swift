import Ground

/// A payment of which some parts are here, as the container knows it. The wait is the payment's, and not that of whoever
/// owns the node: no owner need live as long as the window.
public struct WaitingParts: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  /// Since its first part was stored, by a clock that counts sleep and that nobody can set. Nil when that was in another
  /// boot of the phone: how long it was off nobody knows.
  public var waited: TimeSpan?

  public init(paymentHash: Bytes32, waited: TimeSpan?) {
    self.paymentHash = paymentHash
    self.waited = waited
  }
}
