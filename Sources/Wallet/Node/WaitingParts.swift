import Ground

/// An incomplete payment in the container. The wait belongs to the payment, not to an owner of the node: no owner
/// has to live as long as the window.
public struct WaitingParts: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  /// The time since the first part was stored, by a clock that counts sleep and cannot be set. Nil if that was
  /// before a reboot, as the time without power is unknown.
  public var waited: TimeSpan?

  public init(paymentHash: Bytes32, waited: TimeSpan?) {
    self.paymentHash = paymentHash
    self.waited = waited
  }
}
