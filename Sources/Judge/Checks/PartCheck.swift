// Invariant 3, for multi-part payments: the preimage is sent only when all parts have arrived, and the paid parts
// are one received payment.

extension PeerReplay {
  /// Updates the HTLC, and the committed sum of its payment.
  mutating func keep(_ life: HTLCLife, _ htlc: OpenHTLC) {
    guard htlc.offeredBy == .peer else {
      sentLives[htlc.id] = life
      return
    }
    if let earlier = lives[htlc.id], earlier.isCommitted {
      committedMsat[PartKey(earlier), default: 0] -= UInt128(earlier.amountMsat)
    }
    if life.isCommitted { committedMsat[PartKey(life), default: 0] += UInt128(life.amountMsat) }
    lives[htlc.id] = life
    if let fulfilNs = life.fulfilNs {
      firstFulfilNs[life.paymentHash] = min(firstFulfilNs[life.paymentHash] ?? .max, fulfilNs)
    }
  }

  /// The preimage must not be revealed before the committed parts reach the total.
  mutating func checkWhole(_ id: UInt64, _ life: HTLCLife, _ frame: ReadFrame) {
    guard let data = life.data else { return }
    let own: UInt128 = lives[id]?.isCommitted == true ? 0 : UInt128(life.amountMsat)
    let committed = UInt64(clamping: (committedMsat[PartKey(life)] ?? 0) + own)
    if committed < data.totalMsat {
      find(
        .revealedBeforeWhole, id, amountWords(committed), amountWords(data.totalMsat), at: frame,
        [.frame(life.addFrame)])
    }
  }
}

/// Identifies the payment that an HTLC is a part of.
struct PartKey: Hashable {
  let paymentHash: [UInt8]
  let data: PartData?

  init(_ life: PeerReplay.HTLCLife) {
    paymentHash = life.paymentHash
    data = life.data
  }
}

extension [PaymentEntry] {
  var amountMsat: Int64 { reduce(0) { $0 &+ $1.amountMsat } }

  /// Parts of one payment have equal secret and total, and without the smallest part they do not reach the total.
  var arePartsOfOne: Bool {
    guard let data = first?.data else { return count == 1 }
    let smallest = map(\.amountMsat).min() ?? 0
    return allSatisfy { $0.data == data } && UInt64(bitPattern: amountMsat &- smallest) < data.totalMsat
  }
}
