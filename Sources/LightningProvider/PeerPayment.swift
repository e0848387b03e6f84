import Ground

/// A pending payment.
public struct PeerPayment: Hashable, Codable, Sendable {
  public enum State: Hashable, Codable, Sendable {
    /// Waiting for the wallet. → offered, failed
    case held
    /// In the channel. → paid, failed
    case offered(htlc: UInt64)
  }

  public var request: PaymentRequest
  public var state: State
  /// When a push for it was requested.
  var calledAt: Instant?
  /// Of Bitkit's form: a push for it was requested since the wallet left, or since this run began; the same for all
  /// parts of one payment. Nil: none was.
  var isAnnounced: Bool?

  public init(request: PaymentRequest, state: State = .held) {
    self.request = request
    self.state = state
  }

  public var isHeld: Bool { state == .held }

  /// A push for it was requested since this run began.
  package var isCalled: Bool { calledAt != nil }
}
