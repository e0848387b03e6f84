import Ground
import Crypto
import LightningWire

/// A sender's payment, as it reaches the provider; or one part of a payment, which is a request of its own.
public struct PaymentRequest: Hashable, Codable, Sendable {
  public var id: UInt64
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  /// Until then it waits for a wallet that is away.
  public var holdUntil: Instant
  /// Whose node it is for; nil when the sender does not say.
  public var payee: PublicKey?
  /// For the recipient, as the invoice has it; nil from a sender that has seen none.
  public var paymentData: PaymentData?

  public init(
    id: UInt64, paymentHash: Bytes32, amountMsat: UInt64, holdUntil: Instant, payee: PublicKey? = nil,
    paymentData: PaymentData? = nil
  ) {
    self.id = id
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.holdUntil = holdUntil
    self.payee = payee
    self.paymentData = paymentData
  }
}
