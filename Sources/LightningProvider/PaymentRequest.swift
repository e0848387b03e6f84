import Ground
import Crypto
import Lightning

/// A sender's payment as it reaches the LSP; each part of a multi-part payment is a request of its own.
public struct PaymentRequest: Hashable, Codable, Sendable {
  public var id: UInt64
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  /// Until then it waits for a disconnected wallet.
  public var holdUntil: Instant
  /// The recipient's node; nil if the sender does not name it.
  public var payee: PublicKey?
  /// The payment secret and total for the recipient; nil from a sender without an invoice.
  public var paymentData: PaymentData?
  /// Which of its sender's attempts to pay the invoice this is; nil if the sender does not count.
  public var attempt: UInt64?
  /// A random number of the sender's, by which it finds the attempt again.
  public var attemptID: Bytes32?
  /// It is announced as one that opens a channel; nil is no.
  public var opensChannel: Bool?

  public init(
    id: UInt64, paymentHash: Bytes32, amountMsat: UInt64, holdUntil: Instant, payee: PublicKey? = nil,
    paymentData: PaymentData? = nil, attempt: UInt64? = nil,
    attemptID: Bytes32? = nil, opensChannel: Bool = false
  ) {
    self.id = id
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.holdUntil = holdUntil
    self.payee = payee
    self.paymentData = paymentData
    self.attempt = attempt
    self.attemptID = attemptID
    self.opensChannel = opensChannel ? true : nil
  }
}
