// Invariant 3: each payment that its sender sees as paid is received once with the same amount, and nothing else is
// received.
extension Checker {
  mutating func checkPayments(_ replay: PeerReplay) {
    for payment in evidence.ledger.payments {
      checkColumns(of: payment)
      switch payment.state {
      case "paid": checkPaid(payment, replay)
      case "failed": checkFailed(payment, replay)
      case "held", "offered": checkOpen(payment, replay)
      default: find(.paymentState, payment.id, payment.state, at: [payment.row])
      }
    }
    checkHTLCs(replay)
  }

  // MARK: The sender's side

  private mutating func checkColumns(of payment: PaymentEntry) {
    let isOver = payment.isPaid || payment.isFailed
    if isOver != (payment.settledAtNs != nil) || payment.isPaid != (payment.preimage != nil)
      || payment.isFailed != (payment.failureCode != nil)
      || (payment.htlc != nil) != (payment.offeredAtNs != nil)
    {
      find(.paymentColumns, payment.id, payment.state, at: [payment.row])
    }
  }

  private func life(of payment: PaymentEntry, _ replay: PeerReplay) -> PeerReplay.HTLCLife? {
    payment.htlc.flatMap { replay.lives[UInt64(bitPattern: $0)] }
  }

  private mutating func checkPaid(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name = payment.name
    if let preimage = payment.preimage, Secrets.sha256(preimage) != payment.paymentHash {
      find(.paidWithOtherPreimage, name, at: [payment.row])
    }
    let life = life(of: payment, replay)
    if replay.isChannelKnown, life?.preimage == nil || life?.preimage != payment.preimage {
      find(.paidUnfulfilled, name, at: [payment.row])
    }
    let group = evidence.ledger.payments(payment.paymentHash)
    if group.paid.first?.id == payment.id, !group.paid.arePartsOfOne {
      find(.paidTwice, name, group.paid.count, at: group.paid.map(\.row))
    }
    guard evidence.hasContainer else { return }
    let received = evidence.wallet.receivedByHash.all(payment.paymentHash)
    if received.isEmpty {
      // The receipt is in the container that the wallet had when it revealed the preimage.
      guard evidence.moves.isHere(atNs: life?.fulfilNs) else { return }
      find(.paidNotReceived, name, at: [payment.row])
    } else if received.count > 1 {
      find(.receivedTwice, name, received.count, at: received.map(\.row))
    } else if received[0].amountMsat != group.wholeMsat {
      let parts = group.whole
      let ofAll = parts.count > 1 ? " for all \(parts.count) parts" : ""
      find(
        .receivedOtherAmount, name, amountWords(received[0].amountMsat), ofAll,
        at: parts.map(\.row) + [received[0].row])
    }
  }

  private mutating func checkFailed(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name = payment.name
    let life = life(of: payment, replay)
    if life?.isFulfilled == true {
      find(.failedThoughFulfilled, name, at: [payment.row, .frame(life?.fulfilFrame ?? 0)])
    }
    if replay.isChannelKnown, payment.htlc != nil, life?.failureCode != payment.failureCode {
      find(.failedWithOtherCode, name, payment.failureCode ?? 0, life?.failureCode ?? 0, at: [payment.row])
    }
    let hasOther = !evidence.ledger.payments(payment.paymentHash).whole.isEmpty
    if let first = evidence.wallet.receivedByHash.first(payment.paymentHash), !hasOther {
      find(.failedThoughReceived, name, at: [payment.row, first.row])
    }
  }

  private mutating func checkOpen(_ payment: PaymentEntry, _ replay: PeerReplay) {
    let name =
      "payment \(payment.id) of \(amountWords(payment.amountMsat)) (\(shortHex(payment.paymentHash)))"
    if let life = life(of: payment, replay), life.endSignedNs != nil {
      find(.outcomeNotTold, name, at: [payment.row])
    }
    let has = evidence.wallet.receivedByHash.contains(payment.paymentHash)
    notePending(
      .paymentPending, name, payment.state, has ? "accepted" : "not accepted yet", at: [payment.row])
  }

  /// Each HTLC belongs to exactly one payment.
  private mutating func checkHTLCs(_ replay: PeerReplay) {
    guard replay.isChannelKnown else { return }
    var fulfilled: [[UInt8]: (id: UInt64, data: PartData?)] = [:]
    for (id, life) in replay.lives.sorted(by: { $0.key < $1.key }) {
      let owners = evidence.ledger.paymentsByHTLC.all(Int64(bitPattern: id))
      if owners.count != 1 || owners[0].paymentHash != life.paymentHash
        || UInt64(bitPattern: owners[0].amountMsat) != life.amountMsat
        || (owners[0].offeredAtNs ?? .max) > life.addNs || owners[0].data != life.data
      {
        find(
          .htlcWithoutPayment, id, amountWords(life.amountMsat),
          at: [.frame(life.addFrame)] + owners.map(\.row))
      }
      guard life.isFulfilled else { continue }
      // All parts of one payment are fulfilled; `arePartsOfOne` checks that there are not too many.
      if let earlier = fulfilled[life.paymentHash], earlier.data == nil || earlier.data != life.data {
        find(.htlcsFulfilledTwice, earlier.id, id, at: [.frame(life.addFrame)])
      }
      fulfilled[life.paymentHash] = (id, life.data)
    }
  }
}

// Invariant 3, at the wallet: every received payment was paid by a sender.
extension Checker {
  /// Without a ledger only the wallet's own rows are compared.
  mutating func checkReceived(_ replay: PeerReplay?) {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received {
      counts[entry.epoch, default: 0] += 1
      let write = evidence.wallet.sum(of: entry.epoch).write(ofReceipt: counts[entry.epoch, default: 0])
      checkReceived(entry, writtenBy: write, replay)
    }
    checkReceivedCounts()
    checkNumbers("received_payments", evidence.wallet.received.map(\.id))
  }

  private mutating func checkReceived(
    _ entry: ReceivedEntry, writtenBy write: ReceivingWrite?, _ replay: PeerReplay?
  ) {
    let name =
      "received payment \(entry.id) (\(amountWords(entry.amountMsat)), \(shortHex(entry.paymentHash)))"
    if evidence.hasLedger { checkSender(of: entry, name) }
    let invoice = evidence.wallet.invoicesByHash.first(entry.paymentHash)
    if let invoice, invoice.amountMsat > entry.amountMsat {
      find(.invoiceAsksMore, name, amountWords(invoice.amountMsat), at: [entry.row, invoice.row])
    } else if invoice == nil {
      find(.invoiceMissing, name, at: [entry.row])
    }
    // Another container may have received it before the cancellation.
    if evidence.wallet.cancelledByHash.contains(entry.paymentHash), write?.isRestored != true {
      find(.receivedCancelled, name, at: [entry.row, .wallet("cancelled_invoices")])
    }
    // A restored receipt was durable in the previous container.
    if let shown = replay?.firstFulfilNs[entry.paymentHash], write?.isRestored != true,
      write?.atNs ?? .max > shown
    {
      find(.preimageBeforeReceipt, name, at: [entry.row])
    }
    if evidence.wallet.claim(entry.epoch) == nil {
      find(.receivedUnclaimed, name, entry.epoch, at: [entry.row])
    }
  }

  private mutating func checkSender(of entry: ReceivedEntry, _ name: String) {
    let group = evidence.ledger.payments(entry.paymentHash)
    if group.whole.isEmpty {
      find(.receivedUnpaid, name, at: [entry.row])
    } else if group.wholeMsat != entry.amountMsat {
      find(.receivedDiffers, name, amountWords(group.wholeMsat), at: [entry.row] + group.whole.map(\.row))
    }
    if let open = group.firstHeld { find(.receivedHeld, name, at: [entry.row, open.row]) }
  }

  /// The number of receipts equals the sum in the writes, for each epoch.
  private mutating func checkReceivedCounts() {
    var counts: [Int64: Int64] = [:]
    for entry in evidence.wallet.received { counts[entry.epoch, default: 0] += 1 }
    for (epoch, counted) in counts.sorted(by: { $0.key < $1.key }) {
      let claimed = evidence.wallet.sum(of: epoch).received
      guard claimed != counted else { continue }
      find(.receivedCount, epoch, counted, claimed, at: [.wallet("received_payments")])
    }
  }
}

// Invariant 4: every written invoice is in the database.
extension Checker {
  mutating func checkInvoices() {
    let counted = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.invoices ?? 0) }
    let cancelled = evidence.wallet.writes.reduce(0) { $0 + ($1.summary?.cancelled ?? 0) }
    // A cancellation may be written again after a failed write, so more writes than rows are legal.
    if evidence.wallet.cancelled.count > cancelled {
      find(.cancelledCount, cancelled, evidence.wallet.cancelled.count, at: [.wallet("cancelled_invoices")])
    }
    if !evidence.wallet.isRestored, counted != evidence.wallet.invoices.count {
      find(.invoiceCount, counted, evidence.wallet.invoices.count, at: [.wallet("invoices")])
    }
  }
}

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
