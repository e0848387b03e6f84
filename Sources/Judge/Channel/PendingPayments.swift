/// What the peer held and had offered, from one moment to the next.
struct PendingPayments {
  private struct Change {
    let atNs: Int64
    var heldMsat: Int128 = 0
    var offeredMsat: Int128 = 0
    var count = 0
  }

  private var changes: ArraySlice<Change>
  private(set) var heldMsat: Int128 = 0
  private(set) var offeredMsat: Int128 = 0
  private(set) var count = 0

  init(_ payments: Rows<PaymentEntry>) {
    var changes: [Change] = []
    for payment in payments {
      let amount = Int128(payment.amountMsat)
      changes.append(Change(atNs: payment.requestedNs, heldMsat: amount, count: 1))
      if let leftNs = payment.offeredNs ?? payment.settledNs {
        let offered = payment.offeredNs == nil ? 0 : amount
        changes.append(Change(atNs: leftNs, heldMsat: -amount, offeredMsat: offered))
      }
      if let settledNs = payment.settledNs {
        changes.append(
          Change(atNs: settledNs, offeredMsat: payment.offeredNs == nil ? 0 : -amount, count: -1))
      }
    }
    self.changes = changes.sorted { $0.atNs < $1.atNs }[...]
  }

  /// Never back.
  mutating func advance(to instantNs: Int64) {
    while let next = changes.first, next.atNs <= instantNs {
      heldMsat += next.heldMsat
      offeredMsat += next.offeredMsat
      count += next.count
      changes.removeFirst()
    }
  }
}
