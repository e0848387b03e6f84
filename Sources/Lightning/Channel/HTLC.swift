import Ground
import LightningWire

/// One payment part on its way through a channel.
public struct HTLC: Hashable, Codable, Sendable {
  /// Counted by the side that offered it, from zero.
  public var id: UInt64
  public var amountMsat: UInt64
  public var paymentHash: Bytes32
  public var cltvExpiry: UInt32
  public var state: HTLCState
  /// How it ends; nil until then.
  public var removal: HTLCRemoval?
  /// What its sender said of the payment that it is a part of. It is kept with it: the parts of one payment may come to
  /// different owners of the node.
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

  /// From this number on BOLT 2 reads an expiry as seconds, and refuses it.
  public static let cltvExpiryLimit: UInt32 = 500_000_000
  /// The block height until which each HTLC of this chainless emulation is good.
  package static let chainlessExpiry: UInt32 = 700_144

  /// The one order in which a channel keeps its HTLCs, so that equal channels are equal values.
  func comes(before other: HTLC) -> Bool {
    (direction.rawValue, id) < (other.direction.rawValue, other.id)
  }
}

/// How an HTLC ends.
public enum HTLCRemoval: Hashable, Codable, Sendable {
  /// The preimage stands here only on the side that learnt it from the other. The side that reveals it keeps it
  /// elsewhere, so that this state can be written to journals and backups before the payment is settled.
  case fulfilled(preimage: Bytes32?)
  /// With a failure code of BOLT 4.
  case failed(code: UInt16)
}
