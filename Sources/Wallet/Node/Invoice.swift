import Ground

/// An invoice of the wallet, and the tweak that its preimage is derived from.
///
/// The preimage itself is never in the state, the database or a journal: it is derived from the wallet's seed and
/// the tweak when it is sent.
public struct Invoice: Hashable, Codable, Sendable {
  /// The longest text in bytes, also in the backup at the peer.
  public static let textLimit = 200

  /// In `amountMsat`: the payer chooses.
  public static let anyAmount: UInt64 = 0

  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var text: String
  public var tweak: Bytes32
  /// Wall time, in seconds since 1970, as in BOLT 11.
  public var expiresAt: Int64
  /// BOLT 4's `payment_secret`, which the payer must send. Derived like the preimage, and in no table or backup:
  /// code that reads the state and has the seed fills it in. While it is nil, every secret is refused.
  public var paymentSecret: Bytes32?

  public init(
    paymentHash: Bytes32, amountMsat: UInt64, text: String, tweak: Bytes32, expiresAt: Int64,
    paymentSecret: Bytes32? = nil
  ) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.text = text
    self.tweak = tweak
    self.expiresAt = expiresAt
    self.paymentSecret = paymentSecret
  }
}
