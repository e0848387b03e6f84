/// How many of the announced payments were received soon, from the peer's ledger: it knows when each push reached the
/// phone, and when its sender got the preimage.
public struct AnnouncedPayments: Hashable, Sendable {
  /// Payments with a delivered push; the parts of one payment are one.
  public let count: Int
  /// Those that were received within the bound of one of their pushes.
  public let receivedInTime: Int

  /// Nil without a ledger.
  public init?(home: String, boundNs: Int64) throws(JudgeError) {
    guard let ledger = try EvidenceCollector(home: home).announcements() else { return nil }
    let groups = PaymentGroup.all(ledger.payments)
    var announced: Set<[UInt8]> = []
    var soon: Set<[UInt8]> = []
    for push in ledger.pushes where push.isDelivered {
      guard let hash = push.paymentHash else { continue }
      announced.insert(hash)
      // The peer may hear of the delivery only after the payment.
      let (earliest, latest) = (push.atNs, (push.lastAtNs ?? push.atNs) &+ boundNs)
      let paidNs = groups[hash]?.paid.compactMap(\.settledAtNs) ?? []
      if paidNs.contains(where: { $0 >= earliest && $0 <= latest }) { soon.insert(hash) }
    }
    count = announced.count
    receivedInTime = soon.count
  }
}
