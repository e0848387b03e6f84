import Ground
import Crypto
import Lightning

/// The parts of one payment: committed HTLCs with the same hash and payment secret. An HTLC without payment data, as
/// from a peer that does not forward it, is a payment of its own.
struct PaymentSet {
  enum Verdict: Hashable {
    case whole
    /// The parts fit an invoice, and more are missing.
    case incomplete
    /// No open invoice fits.
    case refused
  }

  private(set) var parts: [HTLC]

  private var first: HTLC { parts[0] }
  var paymentHash: Bytes32 { first.paymentHash }
  /// Cannot overflow: it is within the channel's capacity.
  var amountMsat: UInt64 { parts.reduce(0) { $0 + $1.amountMsat } }

  /// In the order of their first parts.
  static func all(of htlcs: [HTLC]) -> [PaymentSet] {
    var sets: [PaymentSet] = []
    for htlc in htlcs {
      if let index = sets.firstIndex(where: { $0.takes(htlc) }) {
        sets[index].parts.append(htlc)
      } else {
        sets.append(PaymentSet(parts: [htlc]))
      }
    }
    return sets
  }

  private func takes(_ htlc: HTLC) -> Bool {
    guard let data = htlc.paymentData, let ours = first.paymentData else { return false }
    return htlc.paymentHash == paymentHash && data.secret == ours.secret
  }

  /// BOLT 4: the secret and the total are the same in all parts and fit the invoice; the set is complete when the
  /// parts' sum reaches the total.
  func verdict(for invoice: Invoice?) -> Verdict {
    guard let invoice else { return .refused }
    guard let data = first.paymentData else { return invoice.isPaid(by: amountMsat) ? .whole : .refused }
    guard let secret = invoice.paymentSecret, ConstantTime.areEqual(secret, data.secret),
      parts.allSatisfy({ $0.paymentData?.totalMsat == data.totalMsat }), invoice.isPaid(by: data.totalMsat)
    else { return .refused }
    guard amountMsat >= data.totalMsat else { return .incomplete }
    return invoice.isPaid(by: amountMsat) ? .whole : .refused
  }
}

extension Invoice {
  /// BOLT 4: at least the invoice's amount, and at most twice that; any amount if the payer chooses it.
  fileprivate func isPaid(by amountMsat: UInt64) -> Bool {
    if self.amountMsat == Self.anyAmount { return true }
    let (twice, overflowed) = self.amountMsat.multipliedReportingOverflow(by: 2)
    return amountMsat >= self.amountMsat && (overflowed || amountMsat <= twice)
  }
}
