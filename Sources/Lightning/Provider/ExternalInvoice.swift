import Ground
import Crypto
import LightningChannel

/// An invoice of somebody else in the network, who is paid through this peer. That node is played here too: nothing else
/// knows the preimage.
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

  /// BOLT 4: all of it, at most twice that, by somebody who has seen the invoice; and once.
  func isPaid(by htlc: HTLC) -> Bool {
    guard !isPaid, let data = htlc.paymentData, ConstantTime.areEqual(data.secret, paymentSecret) else {
      return false
    }
    let (twice, overflowed) = amountMsat.multipliedReportingOverflow(by: 2)
    return data.totalMsat == htlc.amountMsat && htlc.amountMsat >= amountMsat
      && (overflowed || htlc.amountMsat <= twice)
  }
}

/// A payment of the wallet's on its way through the network.
struct RoutedPayment: Hashable, Codable, Sendable {
  var htlc: UInt64
  /// When it reaches the other end.
  var arrivesAt: Instant
}

extension RoutedPayment: Shiftable {
  mutating func shift(by span: TimeSpan) { arrivesAt.shift(by: span) }
}
