import Ground
import Crypto

/// The content of an invoice, without its signature.
public struct InvoiceFields: Hashable, Sendable {
  public var network: BitcoinNetwork
  /// Nil if the payer chooses.
  public var amountMsat: UInt64?
  /// The creation time in seconds since 1970; at most 35 bits.
  public var timestamp: UInt64
  public var paymentHash: Bytes32
  /// Proves to the payee that the payer has the invoice.
  public var paymentSecret: Bytes32
  public var purpose: InvoicePurpose
  /// Nil without the field: then an hour.
  public var expirySeconds: UInt64?
  /// In blocks. Nil without the field: then 18.
  public var finalExpiryDelta: UInt64?
  public var metadata: Bytes?
  /// Nil without the field: the signature also gives it.
  public var payee: PublicKey?
  /// The preferred one first.
  public var fallbacks: [BitcoinAddress]
  /// Routes over private channels to the payee.
  public var routeHints: [[RouteHop]]
  public var features: Features

  public static let expirySecondsStandard: UInt64 = 3600
  public static let finalExpiryDeltaStandard: UInt64 = 18
  static let timestampMax: UInt64 = (1 << 35) - 1

  public init(
    network: BitcoinNetwork, amountMsat: UInt64?, timestamp: UInt64, paymentHash: Bytes32,
    paymentSecret: Bytes32, purpose: InvoicePurpose, expirySeconds: UInt64? = nil,
    finalExpiryDelta: UInt64? = nil, metadata: Bytes? = nil, payee: PublicKey? = nil,
    fallbacks: [BitcoinAddress] = [], routeHints: [[RouteHop]] = [], features: Features = .ofEveryInvoice
  ) {
    self.network = network
    self.amountMsat = amountMsat
    self.timestamp = timestamp
    self.paymentHash = paymentHash
    self.paymentSecret = paymentSecret
    self.purpose = purpose
    self.expirySeconds = expirySeconds
    self.finalExpiryDelta = finalExpiryDelta
    self.metadata = metadata
    self.payee = payee
    self.fallbacks = fallbacks
    self.routeHints = routeHints
    self.features = features
  }

  /// Seconds since 1970.
  public var expiresAt: Int64 {
    let (end, overflowed) = timestamp.addingReportingOverflow(expirySeconds ?? Self.expirySecondsStandard)
    return overflowed ? .max : Int64(clamping: end)
  }

  public func isExpired(atWallSeconds now: Int64) -> Bool { now >= expiresAt }
}
