/// A line of `senders.jsonl`: what `baton pay` has told its user about one payment.
public struct SenderRow: Report, Hashable {
  public var atNs: Int64
  /// The machine's boot, by whose clock that is.
  public var boot: String?
  /// Since 1970.
  public var atWallNs: Int64
  public var paymentHash: String
  public var payee: String
  public var amountMsat: UInt64
  /// settled, failed, pending, not-sent, held or offered.
  public var told: String
  /// Of a failure: its class, or lspd's reason.
  public var reason: String?
  /// The ids of its attempts, in hexadecimal.
  public var attempts: [String]
  /// The attempts are parts of one payment.
  public var inParts: Bool?

  public init(
    atNs: Int64, atWallNs: Int64, paymentHash: String, payee: String, amountMsat: UInt64, told: String,
    reason: String? = nil, attempts: [String] = [], inParts: Bool? = nil
  ) {
    self.atNs = atNs
    self.atWallNs = atWallNs
    self.paymentHash = paymentHash
    self.payee = payee
    self.amountMsat = amountMsat
    self.told = told
    self.reason = reason
    self.attempts = attempts
    self.inParts = inParts
  }
}
