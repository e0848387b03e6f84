import Ground
import Crypto
import Lightning

/// An invoice of another node, which the wallet pays through the LSP. The LSP also acts as that node and has the
/// preimage.
public struct ExternalInvoice: Hashable, Codable, Sendable {
  public var paymentHash: Bytes32
  public var amountMsat: UInt64
  public var paymentSecret: Bytes32
  public var preimage: Bytes32
  public var isPaid: Bool

  public init(
    paymentHash: Bytes32, amountMsat: UInt64, paymentSecret: Bytes32, preimage: Bytes32, isPaid: Bool = false
  ) {
    self.paymentHash = paymentHash
    self.amountMsat = amountMsat
    self.paymentSecret = paymentSecret
    self.preimage = preimage
    self.isPaid = isPaid
  }

  /// BOLT 4: the whole amount, at most twice that, with the invoice's payment secret; and only once.
  func isPaid(by htlc: HTLC) -> Bool {
    guard !isPaid, let data = htlc.paymentData, ConstantTime.areEqual(data.secret, paymentSecret) else {
      return false
    }
    let (twice, overflowed) = amountMsat.multipliedReportingOverflow(by: 2)
    return data.totalMsat == htlc.amountMsat && htlc.amountMsat >= amountMsat
      && (overflowed || htlc.amountMsat <= twice)
  }
}

/// An outgoing payment on its way through the network.
struct RoutedPayment: Hashable, Codable, Sendable {
  var htlc: UInt64
  /// When it reaches the recipient.
  var arrivesAt: Instant
}

extension RoutedPayment: Shiftable {
  mutating func shift(by span: TimeSpan) { arrivesAt.shift(by: span) }
}
