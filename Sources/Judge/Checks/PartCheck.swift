// Invariant 3, for payments that come in parts: a preimage leaves when all of them are there, and the parts that were
// paid are one payment in the wallet.

extension PeerReplay {
  /// Keeps the life of an HTLC, and what is committed of the payment that it is a part of.
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

  /// What the wallet had committed of the same payment when it showed the preimage for one part.
  mutating func checkWhole(_ id: UInt64, _ life: HTLCLife, _ frame: ReadFrame) {
    guard let data = life.data else { return }
    let own: UInt128 = lives[id]?.isCommitted == true ? 0 : UInt128(life.amountMsat)
    let committed = UInt64(clamping: (committedMsat[PartKey(life)] ?? 0) + own)
    if committed < data.totalMsat {
      find(
        3,
        "The wallet revealed the preimage for HTLC \(id) when it had \(amountWords(committed)) of \(amountWords(data.totalMsat)) of its "
          + "payment", frame, ["ledger frames \(life.addFrame)"])
    }
  }
}

/// Of what an HTLC is a part.
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

  /// They say that they belong together, and none is one too many: without the smallest they are not whole yet.
  var arePartsOfOne: Bool {
    guard let data = first?.data else { return count == 1 }
    let smallest = map(\.amountMsat).min() ?? 0
    return allSatisfy { $0.data == data } && UInt64(bitPattern: amountMsat &- smallest) < data.totalMsat
  }
}
