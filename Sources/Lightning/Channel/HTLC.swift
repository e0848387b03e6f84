import Ground

/// One HTLC of a channel.
public struct HTLC: Hashable, Codable, Sendable {
  /// Counted by the offering side, from zero.
  public var id: UInt64
  public var amountMsat: UInt64
  public var paymentHash: Bytes32
  public var cltvExpiry: UInt32
  public var state: HTLCState
  /// Nil until the HTLC is fulfilled or failed.
  public var removal: HTLCRemoval?
  /// The sender's payment secret and total. Stored, as the parts of one payment may reach different owners of the
  /// node.
  public var paymentData: PaymentData?

  public init(
    id: UInt64, amountMsat: UInt64, paymentHash: Bytes32, cltvExpiry: UInt32, state: HTLCState,
    removal: HTLCRemoval? = nil, paymentData: PaymentData? = nil
  ) {
    self.id = id
    self.amountMsat = amountMsat
    self.paymentHash = paymentHash
    self.cltvExpiry = cltvExpiry
    self.state = state
    self.removal = removal
    self.paymentData = paymentData
  }

  public var direction: HTLCDirection { state.direction }

  /// From this number on an expiry means seconds, and BOLT 2 forbids it.
  public static let cltvExpiryLimit: UInt32 = 500_000_000
  /// The expiry of every HTLC, as this emulation has no chain.
  package static let chainlessExpiry: UInt32 = 700_144

  /// The order of a channel's HTLCs, so that equal channels are equal values.
  func comes(before other: HTLC) -> Bool { (direction.rawValue, id) < (other.direction.rawValue, other.id) }
}

/// How an HTLC ends.
public enum HTLCRemoval: Hashable, Codable, Sendable {
  /// Only the receiving side stores the preimage here. The side that reveals it does not, so that its state can be
  /// written to journals and backups before the payment is settled.
  case fulfilled(preimage: Bytes32?)
  /// With a failure code of BOLT 4.
  case failed(code: UInt16)
}
