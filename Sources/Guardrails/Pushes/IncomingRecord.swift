import Ground

/// A payment that was announced and that nobody has received yet, as the extension without a node leaves it for the
/// app. It is never promoted: the app removes it, and shows a payment as received only when the node has settled it.
public struct IncomingRecord: Hashable, Codable, Sendable {
  public enum State: String, Hashable, Codable, Sendable, CaseIterable { case incoming }

  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var kind: Announcement.Kind
  public var isHeld: Bool
  /// In seconds of the wall clock; nil if the push did not name it.
  public var holdEndsAt: Int64?
  public var state: State

  public init(
    paymentHash: Bytes32, amountMsat: UInt64, kind: Announcement.Kind, isHeld: Bool, holdEndsAt: Int64?,
    state: State = .incoming
  ) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.kind = kind
    self.isHeld = isHeld
    self.holdEndsAt = holdEndsAt
    self.state = state
  }
}
