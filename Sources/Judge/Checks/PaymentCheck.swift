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
    let name = "Payment \(payment.id) (\(amountWords(payment.amountMsat)), \(shortHex(payment.paymentHash)))"
    if let preimage = payment.preimage, Secrets.sha256(preimage) != payment.paymentHash {
      find(.paidWithOtherPreimage, name, at: [payment.row])
    }
    let life = life(of: payment, replay)
    if replay.isChannelKnown, life?.preimage == nil || life?.preimage != payment.preimage {
      find(.paidUnfulfilled, name, at: [payment.row])
    } else if let life, life.endSignedNs != payment.settledAtNs {
      find(.settledMoment, name, at: [payment.row, .frame(life.fulfilFrame ?? 0)])
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
    let name = "Payment \(payment.id) (\(amountWords(payment.amountMsat)), \(shortHex(payment.paymentHash)))"
    let life = life(of: payment, replay)
    if life?.isFulfilled == true {
      find(.failedThoughFulfilled, name, at: [payment.row, .frame(life?.fulfilFrame ?? 0)])
    }
    if replay.isChannelKnown, payment.htlc != nil, life?.failureCode != payment.failureCode {
      find(.failedWithOtherCode, name, payment.failureCode ?? 0, life?.failureCode ?? 0, at: [payment.row])
    } else if let life, life.endSignedNs != payment.settledAtNs {
      find(.failedMoment, name, at: [payment.row])
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
    let waiting = Set(evidence.ledger.htlcs.filter { $0.state == "sentAdd" }.map(\.id))
    for payment in evidence.ledger.payments {
      guard let htlc = payment.htlc, replay.lives[UInt64(bitPattern: htlc)] == nil else { continue }
      if !waiting.contains(htlc) {
        find(.offeredUnsent, payment.id, htlc, at: [payment.row])
      }
    }
  }
}
