import Ground

/// An invoice of the wallet: what it asks for, and how its preimage is found again.
///
/// The preimage itself is nowhere in the state, the database or a journal: it is derived from the wallet's seed and
/// the tweak at the moment it is sent.
public struct Invoice: Hashable, Codable, Sendable {
  /// Of the text, in bytes; as much of it as the backup at the peer keeps too.
  public static let textLimit = 200

  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var text: String
  public var tweak: Bytes32
  /// Wall time, in seconds since 1970: invoices speak of calendar time.
  public var expiresAt: Int64
  /// What its payer must show. It is derived as the preimage is, and stands in no table or backup either: whoever reads
  /// the state and has the seed puts it in. Where nobody did, no secret is the right one.
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
